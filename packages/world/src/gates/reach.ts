import {
  type BeingName,
  canonicalJson,
  LIMITS,
  type RoleName,
  stanceOf,
  TreeosError,
  unknownRole,
  utf8Length,
} from '@treeos/core'
import { type Entry, flowRoles, type RoleSpec } from '@treeos/roles'
import type { WorldReader } from '../read/reader.ts'
import {
  CAN_LISTS,
  type CanList,
  type CanLists,
  canonicalTarget,
  coversEntry,
  firstBeyond,
} from '../rows/lists.ts'
import { type BeingRow, roleKey } from '../rows/rows.ts'
import { type Ceiling, ceilingsOf } from './list-gate.ts'

/** Names of the default role and of all roles in the flow: the roles that a being may ever wear. */
export function rolesNamed(being: Pick<BeingRow, 'defaultRole' | 'qualities'>): RoleName[] {
  const names = flowRoles(being.qualities.roleFlow ?? [])
  return [...new Set(being.defaultRole === null ? names : [being.defaultRole, ...names])].sort()
}

/** All that a being could ever reach: the lists of its roles, and their see-resolvers. */
export interface Reach extends CanLists {
  readonly see: readonly string[]
}

/**
 * The union of all roles that a being may wear, bounded by its ceilings.
 * @param changed a role as an act leaves it: its spec, or null when it is deleted
 */
export async function reachOf(
  reader: WorldReader,
  being: BeingRow,
  changed?: { readonly name: RoleName; readonly spec: RoleSpec | null },
): Promise<Reach> {
  const names = rolesNamed(being)
  await reader.prefetch(names.map(roleKey))
  const union = {
    canSee: [] as Entry[],
    canDo: [] as Entry[],
    canSummon: [] as Entry[],
    canBe: [] as Entry[],
  }
  const see: string[] = []
  for (const name of names) {
    const role = await reader.role(name)
    const known = role === null ? null : await reader.spec(role.digest)
    const spec = changed?.name === name ? changed.spec : known
    if (spec === null) continue
    for (const list of CAN_LISTS) union[list].push(...spec[list])
    see.push(...spec.see)
  }
  let lists: CanLists = union
  for (const ceiling of await ceilingsOf(reader, being)) lists = cut(lists, ceiling)
  return { ...lists, see }
}

/**
 * A being's own reach with that of its lender. The lender is a maker that drives it, and could do the same
 * alone.
 */
export async function reachWith(
  reader: WorldReader,
  being: BeingRow,
  lender: BeingName | null,
): Promise<Reach> {
  const own = await reachOf(reader, being)
  const row = lender === null ? null : await reader.being(lender)
  if (row === null) return own
  const lent = await reachOf(reader, row)
  const both = (list: CanList) => [
    ...own[list],
    ...lent[list].map((entry) =>
      typeof entry === 'string' && entry !== '~' ? canonicalTarget(list, entry, row.home) : entry,
    ),
  ]
  return {
    canSee: both('canSee'),
    canDo: both('canDo'),
    canSummon: both('canSummon'),
    canBe: both('canBe'),
    see: [...own.see, ...lent.see],
  }
}

/** What both hold: entries of the one that the other holds, and the other way round. */
function cut(lists: CanLists, ceiling: Ceiling): CanLists {
  const both = (list: CanList) => [
    ...lists[list].filter((entry) => coversEntry(list, ceiling.lists[list], entry, ceiling.home)),
    ...ceiling.lists[list].filter((entry) => coversEntry(list, lists[list], entry, ceiling.home)),
  ]
  return { canSee: both('canSee'), canDo: both('canDo'), canSummon: both('canSummon'), canBe: both('canBe') }
}

/** Size of one role's digest and cognition in a program. */
const PINNED_BYTES = 130

/**
 * Bounds a program where it is written, since workflow history holds it.
 * @throws {TreeosError} PAYLOAD_TOO_LARGE
 */
export function requireSmallProgram(being: Pick<BeingRow, 'defaultRole' | 'qualities'>): void {
  const names = rolesNamed(being)
  const flow = utf8Length(canonicalJson(being.qualities.roleFlow ?? []))
  const bytes = names.reduce((sum, name) => sum + name.length + PINNED_BYTES, flow)
  if (bytes > LIMITS.programBytesMax) {
    throw new TreeosError(
      'PAYLOAD_TOO_LARGE',
      `the flow with its ${names.length} roles weighs ${bytes} bytes, at most ${LIMITS.programBytesMax} are taken`,
    )
  }
}

/**
 * A role that a being authors or assigns may not exceed its reach.
 * @throws {TreeosError} FORBIDDEN naming the role, the list and the entry
 */
export function requireWithinReach(author: BeingRow, spec: RoleSpec, reach: Reach): void {
  const beyond = firstBeyond(spec, reach, author.home)
  if (beyond === null) return
  throw new TreeosError(
    'FORBIDDEN',
    `role ${spec.name} holds ${JSON.stringify(beyond.entry)} in ${beyond.list}, beyond the reach of ${stanceOf(author.name)}`,
  )
}

/**
 * @throws {TreeosError} ROLE_UNAVAILABLE for a role that is not registered, FORBIDDEN for one beyond the
 *   author's reach
 */
export async function requireAssignable(
  reader: WorldReader,
  author: BeingRow,
  names: readonly RoleName[],
  reach: Reach,
): Promise<void> {
  await reader.prefetch(names.map(roleKey))
  for (const name of names) {
    const role = await reader.role(name)
    if (role === null) throw unknownRole(name)
    requireWithinReach(author, await reader.spec(role.digest), reach)
  }
}
