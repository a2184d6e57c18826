import { canonicalJson, LIMITS, type RoleName, stanceOf, TreeosError, utf8Length } from '@treeos/core'
import { flowRoles, type RoleSpec } from '@treeos/roles'
import type { WorldReader } from './reader.ts'
import { type BeingRow, roleKey } from './rows.ts'
import { CAN_LISTS, type CanLists, firstBeyond } from './surface.ts'

/** Role names that a being's default and flow name: all it may ever wear. */
export function rolesNamed(being: Pick<BeingRow, 'defaultRole' | 'qualities'>): RoleName[] {
  const names = flowRoles(being.qualities.roleFlow ?? [])
  return [...new Set(being.defaultRole === null ? names : [being.defaultRole, ...names])].sort()
}

/** The union of everything a being could wear; ceilings cut it again at the gate. */
export async function reachOf(reader: WorldReader, being: BeingRow): Promise<CanLists> {
  const names = rolesNamed(being)
  await reader.prefetch(names.map(roleKey))
  const reach: { [K in keyof CanLists]: CanLists[K][number][] } = {
    canSee: [],
    canDo: [],
    canSummon: [],
    canBe: [],
  }
  for (const name of names) {
    const role = await reader.role(name)
    if (role === null) continue
    const spec = await reader.spec(role.digest)
    for (const list of CAN_LISTS) reach[list].push(...spec[list])
  }
  return reach
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
export function requireWithinReach(author: BeingRow, spec: RoleSpec, reach: CanLists): void {
  const beyond = firstBeyond(spec, reach)
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
  reach: CanLists,
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
