/** What is stored of a stamp, in the words of the protocol. */
import type { EvaluatedMoment, StampedMoment } from '@treeos/protocol'
import type { MomentRecord, StoredOutcome } from '@treeos/store'

/** What the stamp of a moment has recorded of its evaluation. */
export const evaluationIn = ({
  stack,
  outcome,
  reason,
}: MomentRecord): Pick<EvaluatedMoment, 'stack' | 'skip'> => ({
  stack,
  ...(stack === null && outcome === 'skipped' && reason !== null ? { skip: reason } : {}),
})

/** The outcome of a moment that was stamped before. */
export const stampedBefore = ({ kind, reason, hash }: StoredOutcome): StampedMoment => ({
  kind,
  reason,
  record: hash,
  waiting: 1, // how many wait is unknown here; an extra check of the inbox is cheap
})
