import { approvalOf, quote, readPath, stanceOf, TreeosError, type Wake } from '@treeos/core'
import type { LiveQuestions } from './live.ts'
import type { DecidedMoment } from './moment.ts'

/** A wake that a call answers, and what closed it; left out for the wake of the moment itself. */
export type AnsweredWake = Wake & { readonly closedBy?: string | null }

/**
 * The wake that a person's reply answers, or that a being goes on from; for any other moment, the wake that
 * opened it.
 * @throws {TreeosError} CORRELATION_NOT_FOUND
 */
export async function answeredWake(
  { being, open, content }: Pick<DecidedMoment, 'being' | 'open' | 'content'>,
  { entry }: Pick<LiveQuestions, 'entry'>,
): Promise<AnsweredWake> {
  const own: Wake = { ...open.wake, being, content }
  if (open.wake.kind !== 'act') {
    const begun = open.answers === null ? null : await entry(open.answers)
    // Its first moment closed it, and no moment but those that go on from it can answer it. A thread of its
    // own that the being got is kept.
    if (begun === null) return own
    // An act of a person that was approved answers what may have been answered meanwhile.
    const isOpen = approvalOf(open.wake) === null || readPath(content, ['answers']) === undefined
    return { ...begun, root: open.wake.root, closedBy: isOpen ? null : begun.closedBy }
  }
  const named = readPath(content, ['answers'])
  if (typeof named !== 'string') return own
  const answered = open.answers === null ? null : await entry(open.answers)
  if (answered !== null) return answered
  throw new TreeosError(
    'CORRELATION_NOT_FOUND',
    `the inbox of ${stanceOf(being)} has no summon ${quote(named)}`,
  )
}
