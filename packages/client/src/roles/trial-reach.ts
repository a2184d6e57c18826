import { asJson, type BeingName, stanceOf, TreeosError, type VerbCall } from '@treeos/core'
import { authorizeActingAs } from '@treeos/reality'
import type { RoleFlow, RoleSpec } from '@treeos/roles'
import { listBeingsWithMoments } from '@treeos/store'
import { authorizePast, pastsOpenTo } from '../access/past-access.ts'
import { type SeeConnection, withSnapshot } from '../beings/being-snapshot.ts'

/** What somebody wants to ask past moments again of. */
export interface TrialReach {
  /** whose moments; left out, of all whose past is open */
  readonly beings?: readonly BeingName[] | undefined
  readonly roles: readonly RoleSpec[]
  readonly flows: readonly RoleFlow[]
  /** names of model connections; null: the default model */
  readonly connections: readonly (string | null)[]
}

/** Calls that one request asks the gates about. */
const JUDGED_MAX = 200

/**
 * A trial shows what beings would have seen and said, so it is open to who may look into their pasts, and
 * could make them so: each role, flow and model is judged as the act by which the person would set it now.
 * Nothing is done.
 * @returns the beings whose moments may be asked again
 * @throws {TreeosError} FORBIDDEN, or the code of another refusal; INVALID_INPUT for too many beings
 */
export async function authorizeTrial(
  at: SeeConnection,
  as: BeingName,
  { beings, ...of }: TrialReach,
): Promise<BeingName[]> {
  await authorizeActingAs(at, as)
  for (const being of beings ?? []) await authorizePast(at, as, being)
  const read = [...(beings ?? (await openBeings(at, as)))]
  const calls = callsOf(of, read)
  if (calls.length > JUDGED_MAX)
    throw new TreeosError(
      'INVALID_INPUT',
      `moments: a trial of a flow or a model takes ${JUDGED_MAX} beings at most: name them`,
    )
  if (calls.length > 0)
    await withSnapshot(at, as, async ({ judge }) => {
      for (const call of calls) await judge(call)
    })
  return read
}

async function openBeings(at: SeeConnection, as: BeingName): Promise<BeingName[]> {
  const isOpen = pastsOpenTo(at, as)
  const open: BeingName[] = []
  for (const being of await listBeingsWithMoments(at.db)) if (await isOpen(being)) open.push(being)
  return open
}

/** The acts by which it would be set. */
function callsOf({ roles, flows, connections }: TrialReach, beings: readonly BeingName[]): VerbCall[] {
  const doing = (target: string, operation: string, args: object): VerbCall =>
    ({ verb: 'do', target, operation, args: asJson(args) }) as VerbCall
  return [
    ...roles.map((role) => doing('/', 'set-role', { role })),
    ...beings
      .map(stanceOf)
      .flatMap((stance) => [
        ...flows.map((flow) => doing(stance, 'set-roleflow', { flow })),
        ...connections.map((value) => doing(stance, 'set-being', { field: 'llm.connection', value })),
      ]),
  ]
}
