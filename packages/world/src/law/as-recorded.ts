/** Compares what the law concludes of a call with what is recorded of its moment. */
import {
  addressesOf,
  asJson,
  canonicalJson,
  type FactDraft,
  isSameJson,
  type Json,
  type OutcomeKind,
  type ReelId,
  threadReel,
  type VerbCall,
} from '@treeos/core'
import { type ConcludedMoment, type Conclusion, isActLike } from './conclusion.ts'

/** What the record of a moment says of its end, and the facts that it wrote. */
export interface RecordedEnd {
  readonly outcome: OutcomeKind
  readonly reason: string | null
  readonly by: readonly string[]
  readonly shadow: Json
  /** an erased payload is null, and may have been any */
  readonly facts: readonly { readonly reel: ReelId; readonly kind: string; readonly payload: Json }[]
}

export interface RecordedDifference {
  readonly field: 'effect' | 'outcome' | 'reason' | 'by' | 'shadow' | 'act facts'
  readonly recorded: Json
  readonly concluded: Json
}

/** Reasons that a moment may end with although its call passed: what it may do in a row was used up. */
const SPENT: ReadonlySet<string | null> = new Set([
  ...['steps-spent', 'repeated-call', 'chain-spent'],
  ...['self-continues-spent', 'looks-spent'], // in records of before
])

/** Where the record of a call says otherwise than the law. How the being went on is not asked. */
export function* differencesFrom(
  recorded: RecordedEnd,
  conclusion: Conclusion,
): Generator<RecordedDifference> {
  if (conclusion.kind === 'effect-pending') {
    const concluded = 'permitted, and no effect is recorded'
    return yield { field: 'effect', recorded: recorded.outcome, concluded }
  }
  const { kind, reason, by, shadow = [], facts } = conclusion
  const differ = (field: RecordedDifference['field'], was: Json, is: Json) =>
    isSameJson(was, is) ? [] : [{ field, recorded: was, concluded: is }]
  yield* differ('outcome', recorded.outcome, kind)
  const isSpent = kind !== 'failure' && SPENT.has(recorded.reason)
  if (!isSpent) yield* differ('reason', recorded.reason, reason)
  yield* differ('by', [...recorded.by], [...by])
  yield* differ('shadow', recorded.shadow, asJson(shadow))
  if (isActLike(conclusion) && kind === recorded.outcome && !areFacts(facts, recorded.facts))
    yield { field: 'act facts', recorded: asJson(recorded.facts), concluded: asJson(facts) }
}

/** Whether a moment wrote these facts, in any order. */
export function areFacts(drafts: readonly FactDraft[], written: RecordedEnd['facts']): boolean {
  const rest = [...drafts]
  for (const { reel, kind, payload } of written) {
    const i = rest.findIndex(
      (draft) =>
        draft.reel === reel &&
        draft.kind === kind &&
        (payload === null ||
          isSameJson(payload, draft.payload) ||
          canonicalJson(draft.payload) === canonicalJson(payload)), // or throws: the draft is not JSON
    )
    if (i < 0) return false
    rest.splice(i, 1)
  }
  return rest.length === 0
}

/** The facts that a conclusion writes; none while it waits for an effect. */
export const factsIn = (conclusion: Conclusion | null): readonly FactDraft[] =>
  conclusion === null || conclusion.kind === 'effect-pending' ? [] : conclusion.facts

type RefusableOutcome = Pick<ConcludedMoment, 'reason' | 'by'> & { readonly outcome: OutcomeKind }

/** Reasons of refusals for what a thread was at that time. */
const OF_THREAD: ReadonlySet<string> = new Set(['FORBIDDEN', 'CORRELATION_NOT_FOUND', 'RESOURCE_CONFLICT'])

/** No rule is named: a list, the thread or the operation itself refused. */
const isUnruled = ({ outcome, by }: RefusableOutcome): boolean => outcome !== 'act' && by.length === 0

/** Whether a thread, as it was then, may have refused a call. */
export const mayBeRefusedByThread = (recorded: RefusableOutcome): boolean =>
  isUnruled(recorded) && OF_THREAD.has(recorded.reason ?? '')

export function namesThread(call: VerbCall): boolean {
  if (call.verb === 'summon') return call.thread !== undefined
  const named = call.verb === 'see' ? addressesOf(call) : call.verb === 'do' ? [call.target] : []
  return named.some((address) => address?.startsWith(threadReel('')) ?? false)
}

/**
 * Whether the thread that a call is about explains why its judgement differs now. A thread changes after the
 * moment: beings join it and never leave it, and it is cut or becomes complete. So a being that is not in it
 * now was not in it then. Lists and rules do not depend on the thread.
 */
export function mayHaveMovedThread(
  call: VerbCall,
  recorded: RefusableOutcome,
  concluded: ConcludedMoment,
): boolean {
  const now: RefusableOutcome = { ...concluded, outcome: concluded.kind }
  // An operation of an extension may read all of the thread. Only what the gates say of it is compared.
  if (call.verb === 'do' && call.operation !== 'cut-thread')
    return now.outcome !== 'failure' || isUnruled(now) || recorded.outcome === 'failure'
  if (call.verb === 'see' && 'addresses' in call) return true // one of them may be let through since
  return mayBeRefusedByThread(recorded) || (isUnruled(now) && now.reason === 'RESOURCE_CONFLICT')
}
