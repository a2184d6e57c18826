import { asJson, isContinuation, isSameJson, isToSelf, parseMomentId } from '@treeos/core'
import type { ThinkInput } from '@treeos/protocol'
import type { LoadedMoment } from '@treeos/reality'
import { type Db, findOutcomeByNumber } from '@treeos/store'
import { isOfUnseenChange } from '@treeos/world'

/**
 * Whether a moment needs no mind: its being may not see the changes that woke it, and wears what it wore in
 * the moment before. Else whoever changes a place that is closed to others could use up their budgets.
 */
export async function needsNoMind(
  db: Db,
  loaded: LoadedMoment,
  stack: ThinkInput['stack'],
): Promise<boolean> {
  const { record, noted, ...moment } = loaded
  if (!isOfUnseenChange({ ...moment, wake: record.wake, quotes: noted?.quotes })) return false
  const { being, n } = parseMomentId(record.moment)
  const before = (await findOutcomeByNumber(db, being, n - 1))?.record.stack ?? null
  return before !== null && isSameJson(asJson(before), asJson(stack))
}

/** Whether a moment hears one of several whom its being asked, and has not heard the others: its role may wait for all. */
export const mayWaitForOthers = ({ record }: Pick<LoadedMoment, 'record'>): boolean =>
  record.unheard !== undefined &&
  !isContinuation(record.wake) &&
  !isToSelf(record.wake, parseMomentId(record.moment).being)
