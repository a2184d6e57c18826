import { actWakeId, type BeingName, type VerbCall } from '@treeos/core'
import { withSuggestion } from '../addresses/suggesting.ts'
import type { Connection } from './connection.ts'
import { explained } from './explaining.ts'
import { type LivedEnd, waitForEnd } from './waiting.ts'

/** Seconds to wait for a person's own act. No model call delays it. */
export const OWN_SECONDS = 30

/**
 * Waits for the end of an act that was submitted as the being. A refusal then also says what the being may do instead.
 * @param throughAsk true: also for the yes that the act waits for
 * @throws {TreeosError} as `waitForEnd`
 */
export async function waitForOwnMoment(
  at: Connection,
  {
    as,
    call,
    correlation,
  }: { readonly as: BeingName; readonly call: VerbCall; readonly correlation: string },
  seconds: number,
  throughAsk = false,
): Promise<LivedEnd> {
  const sent = { asker: as, being: as, correlation: actWakeId(correlation), throughAsk }
  try {
    return await waitForEnd(at, sent, seconds)
  } catch (error) {
    throw await withSuggestion(at, as, await explained(at.db, { as, call }, error))
  }
}
