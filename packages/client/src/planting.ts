import {
  type ChainDb,
  createReality,
  digestOf,
  keep,
  listRows,
  type Reality,
  rebuildRow,
  rowSource,
} from '@treeos/chain'
import type { FactDraft, Json, RoleName } from '@treeos/core'
import {
  type BeingRow,
  beingKey,
  evolve,
  genesisFacts,
  indexOf,
  OPERATOR,
  type Parts,
  ROLE_MANAGER,
  type RoleRow,
  roleBrought,
  roleGone,
  roleKey,
  roleManagerBrought,
  rowKeyOf,
  spaceKey,
  WorldReader,
  watchesOf,
} from '@treeos/world'
import type { Kysely } from 'kysely'
import { appendUnacted } from './unacted.ts'

/**
 * Makes the reality of a database unless it has one, with its first beings and spaces. Safe to run again: what is there
 * stays as it is.
 * @param owner opened with `asOwner`
 */
export async function plantReality(
  owner: Kysely<ChainDb>,
  parts: Parts,
  wanted: { readonly name: string; readonly timeZone: string },
): Promise<{ readonly reality: Reality; readonly created: boolean }> {
  const made = await createReality(owner, wanted)
  await bringRoles(owner, made.reality, parts)
  const reader = new WorldReader(rowSource(owner, made.reality.id))
  if ((await reader.row(spaceKey('/'))) === null)
    await appendUnacted(owner, made.reality, genesisFacts(), reader)
  await bringRoleManager(owner, made.reality)
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
 * Brings a reality that was planted by an older version the being that mediates roles. Safe to run again, and by several
 * workers at once: what is there stays as it is.
 * @returns false when its name, or its role's, is another's
 */
export async function bringRoleManager(db: Kysely<ChainDb>, reality: Reality): Promise<boolean> {
  for (let tries = 0; tries < BRING_TRIES_MAX; tries++) {
    const reader = new WorldReader(rowSource(db, reality.id))
    await reader.prefetch([roleKey(ROLE_MANAGER), beingKey(ROLE_MANAGER), beingKey(OPERATOR)])
    if ((await reader.role(ROLE_MANAGER))?.origin === 'live') return false
    if ((await reader.being(OPERATOR)) === null) return true // nothing is planted yet
    const lacking = roleManagerBrought(await reader.being(ROLE_MANAGER))
    if (lacking === null) return false
    if (lacking.length === 0 || (await appendUnacted(db, reality, lacking, reader))) return true
  }
  throw new Error('the role-manager could not be brought: others keep writing')
}

/**
 * Writes the roles that code brings into the registry, where they differ from what stands there, and ends those that no
 * code brings any more: so all workers of a reality load the same extensions. Several workers may do so at once; an older
 * moment keeps the digest it wore.
 * @returns roles that were not brought, because a being has written a role of that name
 */
export async function bringRoles(db: Kysely<ChainDb>, reality: Reality, parts: Parts): Promise<RoleName[]> {
  const squatted = new Set<RoleName>()
  for (let tries = 0; tries < BRING_TRIES_MAX; tries++) {
    const reader = new WorldReader(rowSource(db, reality.id))
    const changed: FactDraft[] = []
    for (const role of parts.roles.values()) {
      const fact = roleBrought(role, role.origin, digestOf)
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
      await keep(db, role.spec as unknown as Json)
      changed.push(fact)
    }
    changed.push(...(await orphaned(db, parts)).map(roleGone))
    if (changed.length === 0 || (await appendUnacted(db, reality, changed, reader))) return [...squatted]
  }
  throw new Error('the roles of the extensions could not be written: others keep writing them')
}

/** Roles that came with code which is not loaded any more. */
async function orphaned(db: Kysely<ChainDb>, parts: Parts): Promise<RoleName[]> {
  const roles = (await listRows(db, 'role:')).map(({ state }) => state as unknown as RoleRow)
  return roles
    .filter(({ name, origin, deleted }) => !deleted && origin !== 'live' && !parts.roles.has(name))
    .map(({ name }) => name)
}

const BRING_TRIES_MAX = 10
