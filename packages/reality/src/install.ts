import { type Db, digestOf, putBlob } from '@treeos/chain'
import { type FactDraft, quote, type RoleName, TreeosError } from '@treeos/core'
import {
  beingKey,
  DELEGATES,
  delegateInstalled,
  OPERATOR,
  type Registry,
  type RoleRow,
  roleInstalled,
  roleKey,
  roleRemoved,
} from '@treeos/world'
import { type OpenReality, readerOf } from './open-reality.ts'
import { listRowsOf } from './rows.ts'
import { appendSystemFacts } from './system-facts.ts'

/** The origin of roles that beings wrote. */
const LIVE = 'live'
/** Another writer may move a head at each try. */
const TRIES_MAX = 10

/**
 * Adds the delegates (@birther, @role-manager) to a reality that an older version made. Safe to run again, and by several
 * workers at once: it leaves what exists as it is.
 * @returns delegates that could not be installed, because another being or role has the name
 */
export async function installDelegates(at: OpenReality): Promise<string[]> {
  const taken: string[] = []
  for (const name of DELEGATES) if (!(await installDelegate(at, name))) taken.push(name)
  return taken
}

async function installDelegate(at: OpenReality, name: (typeof DELEGATES)[number]): Promise<boolean> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const reader = readerOf(at)
    await reader.prefetch([roleKey(name), beingKey(name), beingKey(OPERATOR)])
    if ((await reader.role(name))?.origin === LIVE) return false
    if ((await reader.being(OPERATOR)) === null) return true // the reality has no first being yet
    const missing = delegateInstalled(name, await reader.being(name))
    if (missing === null) return false
    if (missing.length === 0 || (await appendSystemFacts(at, missing, reader))) return true
  }
  throw new Error(
    `the ${name} could not be installed: in ${TRIES_MAX} tries another writer always came first`,
  )
}

/**
 * Writes the roles of loaded code into the role registry where they differ from it, and ends roles that a loaded extension
 * no longer has. Several workers may do so at once. Older moments keep the spec digest that they wore.
 * @returns roles that were not installed, because a being wrote a role of that name
 */
export async function installRoles(at: OpenReality, registry: Registry): Promise<RoleName[]> {
  const taken = new Set<RoleName>()
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const reader = readerOf(at)
    const changed: FactDraft[] = []
    for (const role of registry.roles.values()) {
      const fact = roleInstalled(role, role.origin, digestOf)
      const installed = (await reader.row(roleKey(role.spec.name))) as RoleRow | null
      if (installed?.origin === LIVE) {
        taken.add(role.spec.name) // else its author would gain a role above its own reach
        continue
      }
      if (
        installed !== null &&
        !installed.deleted &&
        installed.digest === fact.payload.digest &&
        installed.origin === role.origin
      )
        continue
      await putBlob(at.db, role.spec)
      changed.push(fact)
    }
    changed.push(...(await rolesWithoutCode(at.db, registry)).map(roleRemoved))
    if (changed.length === 0 || (await appendSystemFacts(at, changed, reader))) return [...taken]
  }
  throw new Error(
    `the roles of extensions could not be written: in ${TRIES_MAX} tries another writer always came first`,
  )
}

/** Registered roles of a loaded extension that its code no longer has. Roles of extensions that are not loaded stay. */
async function rolesWithoutCode(db: Db, registry: Registry): Promise<RoleName[]> {
  const loaded = new Set(registry.extensions.map(({ name }) => name))
  return (await rolesOf(db, (origin) => loaded.has(origin))).filter((name) => !registry.roles.has(name))
}

async function rolesOf(db: Db, isWanted: (origin: string) => boolean): Promise<RoleName[]> {
  const roles = (await listRowsOf(db, 'role:')).map(({ row }) => row)
  return roles.filter(({ origin, deleted }) => !deleted && isWanted(origin)).map(({ name }) => name)
}

/**
 * Ends the roles of an extension whose code is gone for good. Everything else that was made with it stays in the world.
 * A worker that loads the extension again installs its roles again.
 * @returns the roles that were ended
 * @throws {TreeosError} RESOURCE_CONFLICT while the extension is loaded here, EXTENSION_NOT_FOUND when it has no role
 */
export async function endExtension(
  at: OpenReality & { readonly registry: Registry },
  name: string,
): Promise<RoleName[]> {
  if (at.registry.extensions.some((extension) => extension.name === name))
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      `extension ${name} is loaded here, so its roles would come back`,
    )
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const roles = name === LIVE ? [] : await rolesOf(at.db, (origin) => origin === name)
    if (roles.length === 0)
      throw new TreeosError('EXTENSION_NOT_FOUND', `no role of an extension ${quote(name)} is registered`)
    if (await appendSystemFacts(at, roles.map(roleRemoved), readerOf(at))) return roles
  }
  throw new Error(
    `the roles of ${name} could not be ended: in ${TRIES_MAX} tries another writer always came first`,
  )
}
