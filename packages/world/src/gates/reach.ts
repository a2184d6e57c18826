import {
  type BeingName,
  canonicalJson,
  LIMITS,
  type RoleName,
  stanceOf,
  TreeosError,
  utf8Length,
} from '@treeos/core'
import { type Entry, flowRoles, type RoleSpec } from '@treeos/roles'
import type { WorldReader } from '../read/reader.ts'
import {
  CAN_LISTS,
  type CanList,
  type CanLists,
  canonicalTarget,
  firstBeyond,
  holdsEntry,
} from '../rows/lists.ts'
import { type BeingRow, roleKey } from '../rows/rows.ts'
import { type Ceiling, ceilingsOf } from './list-gate.ts'

/** Role names that a being's default and flow name: all it may ever wear. */
export function rolesNamed(being: Pick<BeingRow, 'defaultRole' | 'qualities'>): RoleName[] {
  const names = flowRoles(being.qualities.roleFlow ?? [])
  return [...new Set(being.defaultRole === null ? names : [being.defaultRole, ...names])].sort()
}

/** All that a being could ever come to: its lists, and the see-resolvers that its roles look through. */
export interface Reach extends CanLists {
  readonly see: readonly string[]
}

/** The union of everything a being could wear, cut to every ceiling above it. */
export async function reachOf(reader: WorldReader, being: BeingRow): Promise<Reach> {
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
    if (role === null) continue
    const spec = await reader.spec(role.digest)
    for (const list of CAN_LISTS) union[list].push(...spec[list])
    see.push(...spec.see)
  }
  let lists: CanLists = union
  for (const ceiling of await ceilingsOf(reader, being)) lists = cut(lists, ceiling)
  return { ...lists, see }
}

/** Its own reach, and that of an elder who drives it and lends it: what is done through it, the elder could do alone. */
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
    ...lists[list].filter((entry) => holdsEntry(list, ceiling.lists[list], entry, ceiling.home)),
    ...ceiling.lists[list].filter((entry) => holdsEntry(list, lists[list], entry, ceiling.home)),
  ]
  return { canSee: both('canSee'), canDo: both('canDo'), canSummon: both('canSummon'), canBe: both('canBe') }
}

/** Digest and cognition of one role, as they stand in a program. */
const PINNED_BYTES = 130

/**
 * What a being runs by travels through history, so it is bounded where it is written.
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
 * Nothing a being authors or assigns may hold more than its own reach.
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

/** @throws {TreeosError} ROLE_UNAVAILABLE for a role that is not registered, FORBIDDEN for one beyond the author's reach */
export async function requireAssignable(
  reader: WorldReader,
  author: BeingRow,
  names: readonly RoleName[],
  reach: Reach,
): Promise<void> {
  await reader.prefetch(names.map(roleKey))
  for (const name of names) {
    const role = await reader.role(name)
    if (role === null) {
      throw new TreeosError(
        'ROLE_UNAVAILABLE',
        `role ${JSON.stringify(name)} is not registered; \`treeos role list\` shows what is`,
      )
    }
    requireWithinReach(author, await reader.spec(role.digest), reach)
  }
}
