import { type Decision, parseMomentId } from '@treeos/core'
import { type LoadedMoment, sealCall } from '@treeos/reality'
import type { BeatDeps } from '../deps.ts'

/** A decision as it may be recorded: with its call sealed. */
export async function sealedDecision(
  deps: Pick<BeatDeps, 'db' | 'registry'>,
  { record }: LoadedMoment,
  decision: Decision,
): Promise<Decision> {
  if (decision.kind !== 'call') return decision
  const call = await sealCall(deps, parseMomentId(record.moment).being, decision.call, record.wake.id)
  return call === decision.call ? decision : { ...decision, call }
}
