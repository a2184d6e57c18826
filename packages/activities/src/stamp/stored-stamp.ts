/** What is stored of a stamp, in the words of the protocol. */
import type { VerbCall } from '@treeos/core'
import type { EvaluatedMoment, StampedMoment } from '@treeos/protocol'
import type { MomentRecord, StoredOutcome } from '@treeos/store'
import type { Registry } from '@treeos/world'

/** What the stamp of a moment has recorded of its evaluation. */
export const evaluationIn = ({
  stack,
  outcome,
  reason,
}: MomentRecord): Pick<EvaluatedMoment, 'stack' | 'skip'> => ({
  stack,
  ...(stack === null && outcome === 'skipped' && reason !== null ? { skip: reason } : {}),
})

/** What a mind called, for people who read a history. A name that a model made up is not told. */
export function nameOfCall(
  call: VerbCall,
  { operations, beOperations }: Pick<Registry, 'operations' | 'beOperations'>,
): string {
  if (call.verb === 'see' || call.verb === 'summon') return call.verb
  const known = call.verb === 'do' ? operations : beOperations
  return `${call.verb} ${known.has(call.operation) ? call.operation : '(unknown)'}`
}

/** The outcome of a moment that was stamped before. */
export const stampedBefore = ({ kind, reason, hash }: StoredOutcome): StampedMoment => ({
  kind,
  reason,
  record: hash,
  waiting: 1, // how many wait is unknown here; an extra check of the inbox is cheap
})
