import { type FactDraft, quote, type RoleName, TreeosError } from '@treeos/core'
import { type Db, digestOf, putBlob } from '@treeos/store'
import { type Registry, type RoleRow, roleInstalled, roleKey, roleRemoved } from '@treeos/world'
import { keepCode } from './code-of.ts'
import { type OpenReality, readerOf } from './open-reality.ts'
import { listRowsOf } from './rows.ts'
import { appendSystemFacts } from './system-facts.ts'

/** Origin of roles that beings wrote. */
const LIVE = 'live'
/** Each try may fail because another writer moved a head. */
const ATTEMPTS_MAX = 10

/**
 * Writes the roles of the loaded code into the role registry where they differ, and removes roles that a
 * loaded extension no longer has, and stores what that code defines for those who judge its moments without
 * it. Several workers may do so at once. Past moments keep the digests of the specs that they wore.
 * @returns names of roles that were not installed, because a being wrote a role of that name
 */
export async function installRoles(at: OpenReality, registry: Registry): Promise<RoleName[]> {
  await keepCode(at.db, registry)
  const taken = new Set<RoleName>()
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    const reader = readerOf(at)
    const changed: FactDraft[] = []
    for (const role of registry.roles.values()) {
      const fact = roleInstalled(role, role.origin, digestOf)
      const installed = (await reader.row(roleKey(role.spec.name))) as RoleRow | null
      if (installed?.origin === LIVE) {
        taken.add(role.spec.name) // replacing it could give its author a role above its own reach
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
    if (changed.length === 0 || (await appendSystemFacts(at, changed, reader)) !== null) return [...taken]
  }
  throw new Error(
    `cannot install the roles of extensions: another writer changed the same reels in each of ${ATTEMPTS_MAX} attempts`,
  )
}

/**
 * Registered roles that the code of a loaded extension no longer has. Roles of extensions that are not loaded
 * stay.
 */
async function rolesWithoutCode(db: Db, registry: Registry): Promise<RoleName[]> {
  const loaded = new Set(registry.extensions.map(({ name }) => name))
  return (await rolesOf(db, (origin) => loaded.has(origin))).filter((name) => !registry.roles.has(name))
}

async function rolesOf(db: Db, isWanted: (origin: string) => boolean): Promise<RoleName[]> {
  const roles = (await listRowsOf(db, 'role:')).map(({ row }) => row)
  return roles.filter(({ origin, deleted }) => !deleted && isWanted(origin)).map(({ name }) => name)
}

/**
 * Removes the roles of an extension whose code is gone. Everything else that was made with the extension
 * stays in the world. A worker that loads the extension again installs its roles again.
 * @returns names of the removed roles
 * @throws {TreeosError} RESOURCE_CONFLICT while the extension is loaded here, EXTENSION_NOT_FOUND when it has
 *   no role
 */
export async function endExtension(
  at: OpenReality & { readonly registry: Registry },
  name: string,
): Promise<RoleName[]> {
  if (at.registry.extensions.some((extension) => extension.name === name))
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      `extension ${name} is loaded here, so its roles would be installed again`,
    )
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    const roles = name === LIVE ? [] : await rolesOf(at.db, (origin) => origin === name)
    if (roles.length === 0)
      throw new TreeosError('EXTENSION_NOT_FOUND', `no role of an extension ${quote(name)} is registered`)
    if (await appendSystemFacts(at, roles.map(roleRemoved), readerOf(at))) return roles
  }
  throw new Error(
    `cannot remove the roles of ${name}: another writer changed the same reels in each of ${ATTEMPTS_MAX} attempts`,
  )
}
