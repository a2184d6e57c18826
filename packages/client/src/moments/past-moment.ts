import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import { contentHeard, findMoment, type LoadedMoment } from '@treeos/reality'
import { type Db, requireOutcome, type StoredOutcome } from '@treeos/store'

/** A finished moment with its open record and the content that the record names by digest. */
export interface PastMoment extends LoadedMoment {
  readonly outcome: StoredOutcome
}

/** @throws {TreeosError} MOMENT_NOT_FOUND */
export async function loadPastMoment(db: Db, being: BeingName, n: number): Promise<PastMoment> {
  const outcome = await requireOutcome(db, being, n)
  const moment = await findMoment(db, outcome.moment)
  if (moment === null)
    throw new TreeosError('MOMENT_NOT_FOUND', `moment ${n} of ${stanceOf(being)} was never opened`)
  const content = contentHeard(moment.noted, moment.face, moment.wake?.content ?? null)
  return { ...moment, outcome, content }
}
