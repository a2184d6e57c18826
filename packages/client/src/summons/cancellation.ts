import { setTimeout as sleep } from 'node:timers/promises'
import { type BeingName, type MomentId, parseMomentId, stanceOf, TreeosError } from '@treeos/core'
import { authorizeActingAs, type Presence, readerOf } from '@treeos/reality'
import { cancelCall, findEntry, findOpen, hasAsked, isAtWork, listUnfinished } from '@treeos/store'
import { isDescendant } from '../access/descent.ts'

/** What was said just now may not have woken the being yet. */
const WAIT_MS_MIN = 1_500
/**
 * A moment whose mind decides soon is stored only when it takes longer, by default after 4 s: no call is
 * found before.
 */
const WAIT_MS_MAX = 15_000
const POLL_MS = 100

export interface CancelRequest {
  readonly as: BeingName
  readonly being: BeingName
  /** left out: the one under way */
  readonly moment?: MomentId | undefined
}

/** The moment ends as a failure with this reason, and whoever asked is told. */
export interface CancelledCall {
  readonly moment: MomentId
  readonly being: BeingName
  readonly n: number
  readonly reason: 'CANCELLED'
}

/**
 * Cancels the call of a mind that is under way. Its makers at any distance may, the first operator, and
 * whoever asked what the moment answers. The worker gives the call up within about a second; what it costs is
 * not known then, so its reservation counts.
 * @throws {TreeosError} FORBIDDEN; MOMENT_NOT_FOUND when no call is under way; RESOURCE_CONFLICT when it had
 *   decided
 */
export async function cancel(at: Presence, { as, being, moment }: CancelRequest): Promise<CancelledCall> {
  await authorizeActingAs(at, as)
  const reader = readerOf(at)
  const isMaker = (await reader.being(as))?.parent === null || (await isDescendant(reader, being, as))
  // Whoever may not cancel is not made to wait, and does not learn by waiting whether the being is at work.
  const found = moment ?? (await findUnderWay(at, being, async () => isMaker || hasAsked(at.db, being, as)))
  if (!isMaker && (found === null || (await askerOf(at, found)) !== as))
    throw new TreeosError(
      'FORBIDDEN',
      `a call of ${stanceOf(being)} is cancelled by its makers, by the first operator, and by whoever asked for it, ` +
        `not by ${stanceOf(as)}`,
    )
  if (found === null) throw noCall(being)
  const status = await cancelCall(at.db, found, as)
  if (status === 'cancelled') return { moment: found, being, n: parseMomentId(found).n, reason: 'CANCELLED' }
  if (status === 'unknown') throw noCall(being)
  throw new TreeosError(
    'RESOURCE_CONFLICT',
    status === 'over' ? `moment ${found} is over` : `${stanceOf(being)} has decided already in ${found}`,
  )
}

const noCall = (being: BeingName) =>
  new TreeosError('MOMENT_NOT_FOUND', `no call of ${stanceOf(being)} is under way`)

async function findUnderWay(
  { db }: Presence,
  being: BeingName,
  mayAsk: () => Promise<boolean>,
): Promise<MomentId | null> {
  for (const began = performance.now(); await mayAsk(); await sleep(POLL_MS)) {
    const last = (await listUnfinished(db, being)).at(-1)
    if (last !== undefined) return last.moment
    const ms = performance.now() - began
    if (ms > WAIT_MS_MAX || (ms > WAIT_MS_MIN && !(await isAtWork(db, being)))) return null
  }
  return null
}

/** Who summoned, also where the being went on with a look. */
async function askerOf({ db }: Presence, moment: MomentId): Promise<BeingName | null> {
  const record = (await findOpen(db, moment))?.record
  if (record === undefined) return null
  const first = record.answers === null ? null : await findEntry(db, record.answers)
  return (first ?? record.wake).caller?.name ?? null
}
