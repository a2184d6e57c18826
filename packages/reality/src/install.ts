import {
  type ChainDb,
  createReality,
  digestOf,
  listRows,
  putBlob,
  type Reality,
  rebuildRow,
  rowSource,
} from '@treeos/chain'
import { type FactDraft, quote, type RoleName, TreeosError } from '@treeos/core'
import {
  type BeingRow,
  beingKey,
  DELEGATES,
  delegateInstalled,
  evolve,
  genesisFacts,
  indexOf,
  OPERATOR,
  type Registry,
  type RoleRow,
  roleInstalled,
  roleKey,
  roleRemoved,
  rowKeyOf,
  spaceKey,
  WorldReader,
  watchesOf,
} from '@treeos/world'
import type { Kysely } from 'kysely'
import { appendSystemFacts, readerOf } from './unacted.ts'

/**
 * Makes the reality of a database unless it has one, with its first beings and spaces. Safe to run again: what is there
 * stays as it is.
 * @param owner opened with `asOwner`
 */
export async function bootstrapReality(
  owner: Kysely<ChainDb>,
  registry: Registry,
  wanted: { readonly name: string; readonly timeZone: string },
): Promise<{ readonly reality: Reality; readonly created: boolean }> {
  const made = await createReality(owner, wanted)
  await installRoles(owner, made.reality, registry)
  const reader = new WorldReader(rowSource(owner, made.reality.id))
  if ((await reader.row(spaceKey('/'))) === null)
    await appendSystemFacts(owner, made.reality, genesisFacts(), reader)
  await installDelegates(owner, made.reality)
  await mendWatches(owner)
  return made
}

/** Beings that were born before there were wakes by change: what wakes them is found in their rows. */
async function mendWatches(owner: Kysely<ChainDb>): Promise<void> {
  const watched = new Set(
    (await owner.selectFrom('watch').select('being').distinct().execute()).map((row) => row.being),
  )
  for (const { key, state } of await listRows(owner, 'being:')) {
    const being = state as unknown as BeingRow
    if (!watched.has(being.name) && watchesOf(being).length > 0)
      await rebuildRow(owner, key, { rowKeyOf, evolve, indexOf })
  }
}

/**
 * Brings a reality that was planted by an older version the beings that mediate. Safe to run again, and by several workers at
 * once: what is there stays as it is.
 * @returns those whose name, or whose role's, is another's
 */
export async function installDelegates(db: Kysely<ChainDb>, reality: Reality): Promise<string[]> {
  const taken: string[] = []
  for (const name of DELEGATES) if (!(await installDelegate(db, reality, name))) taken.push(name)
  return taken
}

async function installDelegate(
  db: Kysely<ChainDb>,
  reality: Reality,
  name: (typeof DELEGATES)[number],
): Promise<boolean> {
  for (let tries = 0; tries < BRING_TRIES_MAX; tries++) {
    const reader = readerOf({ db, reality })
    await reader.prefetch([roleKey(name), beingKey(name), beingKey(OPERATOR)])
    if ((await reader.role(name))?.origin === LIVE) return false
    if ((await reader.being(OPERATOR)) === null) return true // nothing is planted yet
    const lacking = delegateInstalled(name, await reader.being(name))
    if (lacking === null) return false
    if (lacking.length === 0 || (await appendSystemFacts(db, reality, lacking, reader))) return true
  }
  throw new Error(`the ${name} could not be brought: others keep writing`)
}

/**
 * Writes the roles that code brings into the registry, where they differ from what stands there, and ends those that
 * an extension which is loaded here brings no more. Several workers may do so at once; an older moment keeps the digest it
 * wore.
 * @returns roles that were not brought, because a being has written a role of that name
 */
export async function installRoles(
  db: Kysely<ChainDb>,
  reality: Reality,
  registry: Registry,
): Promise<RoleName[]> {
  const squatted = new Set<RoleName>()
  for (let tries = 0; tries < BRING_TRIES_MAX; tries++) {
    const reader = new WorldReader(rowSource(db, reality.id))
    const changed: FactDraft[] = []
    for (const role of registry.roles.values()) {
      const fact = roleInstalled(role, role.origin, digestOf)
      const standing = (await reader.row(roleKey(role.spec.name))) as RoleRow | null
      if (standing?.origin === 'live') {
        squatted.add(role.spec.name) // whoever wrote it first would else come to wear what it never could
        continue
      }
      if (
        standing !== null &&
        !standing.deleted &&
        standing.digest === fact.payload.digest &&
        standing.origin === role.origin
      )
        continue
      await putBlob(db, role.spec)
      changed.push(fact)
    }
    changed.push(...(await dropped(db, registry)).map(roleRemoved))
    if (changed.length === 0 || (await appendSystemFacts(db, reality, changed, reader))) return [...squatted]
  }
  throw new Error('the roles of the extensions could not be written: others keep writing them')
}

/** Roles that an extension brought which is loaded here, and that it brings no more. Of one that is not loaded nobody knows. */
async function dropped(db: Kysely<ChainDb>, registry: Registry): Promise<RoleName[]> {
  const loaded = new Set(registry.extensions.map(({ name }) => name))
  return (await rolesOf(db, (origin) => loaded.has(origin))).filter((name) => !registry.roles.has(name))
}

async function rolesOf(db: Kysely<ChainDb>, isMeant: (origin: string) => boolean): Promise<RoleName[]> {
  const roles = (await listRows(db, 'role:')).map(({ state }) => state as unknown as RoleRow)
  return roles.filter(({ origin, deleted }) => !deleted && isMeant(origin)).map(({ name }) => name)
}

/**
 * Ends the roles of an extension whose code is gone for good; whatever else was made with it is the world's, and stays.
 * A worker that loads the extension again brings them again.
 * @returns the roles that were ended
 * @throws {TreeosError} RESOURCE_CONFLICT while the extension is loaded here, EXTENSION_NOT_FOUND when it has no role
 */
export async function endExtension(
  {
    db,
    reality,
    registry,
  }: { readonly db: Kysely<ChainDb>; readonly reality: Reality; readonly registry: Registry },
  name: string,
): Promise<RoleName[]> {
  if (registry.extensions.some((extension) => extension.name === name))
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      `extension ${name} is loaded here, so its roles would come back`,
    )
  for (let tries = 0; tries < BRING_TRIES_MAX; tries++) {
    const roles = name === LIVE ? [] : await rolesOf(db, (origin) => origin === name)
    if (roles.length === 0)
      throw new TreeosError('EXTENSION_NOT_FOUND', `no role of an extension ${quote(name)} is registered`)
    if (await appendSystemFacts(db, reality, roles.map(roleRemoved), readerOf({ db, reality }))) return roles
  }
  throw new Error(`the roles of ${name} could not be ended: others keep writing them`)
}

/** Origin of what beings write. */
const LIVE = 'live'
const BRING_TRIES_MAX = 10
