import { approvalOf, type BeingName, quote, readPath, stanceOf, TreeosError, type Wake } from '@treeos/core'
import type { LoadedMoment } from '@treeos/reality'
import { type Db, findEntry, type InboxEntry } from '@treeos/store'

/**
 * The wake that a person's reply answers, or that a being goes on from; for any other moment, the wake that opened it.
 * @throws {TreeosError} CORRELATION_NOT_FOUND
 */
export async function wakeToAnswer(
  db: Db,
  being: BeingName,
  { record, content }: Pick<LoadedMoment, 'record' | 'content'>,
): Promise<Wake | InboxEntry> {
  const own: Wake = { ...record.wake, being, content }
  if (record.wake.kind !== 'act') {
    const begun = record.answers === null ? null : await findEntry(db, record.answers)
    // Its first moment closed it, and no moment but those that go on from it can answer it. A thread of its own that the being got is kept.
    if (begun === null) return own
    // An act of a person that was approved answers what may have been answered meanwhile.
    const isOpen = approvalOf(record.wake) === null || readPath(content, ['answers']) === undefined
    return { ...begun, root: record.wake.root, closedBy: isOpen ? null : begun.closedBy }
  }
  const named = readPath(content, ['answers'])
  if (typeof named !== 'string') return own
  const entry = record.answers === null ? null : await findEntry(db, record.answers)
  if (entry === null) {
    throw new TreeosError(
      'CORRELATION_NOT_FOUND',
      `the inbox of ${stanceOf(being)} has no summon ${quote(named)}`,
    )
  }
  return entry
}
