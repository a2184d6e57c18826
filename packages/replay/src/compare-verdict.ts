import {
  APPROVED_PREFIX,
  approvalReel,
  asJson,
  beingReel,
  type Decision,
  type Fact,
  type FactHeader,
  holdsCall,
  isErrorCode,
  isOfThread,
  type Json,
  type RefusedTry,
  threadReel,
  type VerbCall,
} from '@treeos/core'
import {
  type Db,
  findEntry,
  overlaid,
  type RecordedMoment,
  type StoredOutcome,
  wholeOpen,
} from '@treeos/store'
import {
  answeredWake,
  areFacts,
  COUNTED_KIND,
  decisionOfPerson,
  differencesFrom,
  factsIn,
  isActLike,
  mayBeRefusedByThread,
  mayHaveMovedThread,
  namesThread,
  proseAnswers,
  type RecordedEnd,
  type Registry,
  WorldReader,
} from '@treeos/world'
import type { Comparison } from './comparison.ts'
import { concludePast, type PastCall, wornIn } from './conclude-past.ts'
import { ErasedError } from './loaded-reel.ts'
import type { PastStates } from './past-states.ts'
import type { RecomputedMoment } from './recompute.ts'

interface JudgeDeps {
  readonly db: Db
  readonly registry: Registry
  readonly past: PastStates
}

type StoredVerdict = RecordedMoment & { readonly content: Json }

/**
 * Reasons of a failure that no decision leads to: the worker lacked code, or the being was ended while it
 * thought.
 */
const WITHOUT_DECISION = new Set(['ROLE_UNAVAILABLE', 'BEING_ENDED', 'INTERNAL'])

/**
 * Compares how a moment ended with its decision: a call is judged by both gates again, over the heads from
 * which they decided.
 * @param to.inRecord gets what depends on the extensions
 * @param to.isOther whether the extensions that are loaded here are not those that judged the call
 */
export async function compareVerdict(
  deps: JudgeDeps,
  stored: StoredVerdict,
  recomputed: RecomputedMoment,
  outcome: StoredOutcome,
  {
    compare,
    inRecord,
    isOther,
  }: { readonly compare: Comparison; readonly inRecord: Comparison; readonly isOther: boolean },
): Promise<void> {
  const { record } = outcome
  if (stored.open === null) return
  await compareOtherFacts(deps, stored, outcome, compare)
  if (record.decision === null) {
    // Whoever acts, or asks for a yes, has decided.
    if (isActLike({ kind: record.outcome })) compare.differ('outcome', record.outcome, 'failure')
    return
  }
  if (stored.answer === null) return compare.differ('decision', record.decision, null)
  const decision = JSON.parse(stored.answer.bytes.toString('utf8')) as Decision
  if (decision.kind === 'call' && decision.prose === true && recomputed.role !== null)
    compare.same('prose', true, proseAnswers(recomputed.role, stored.open.record))
  if (holdsCall(stored.open.record.wake)) compare.same('decided', decision, decisionOfPerson(stored))
  if (recomputed.missing === null && !isOther)
    await compareTries(deps, stored, recomputed, outcome, decision.tries ?? [], compare)
  if (record.beside !== undefined) await compareOtherRefusal(deps, stored, outcome, compare)
  else if (decision.kind !== 'call') compareUnjudged(decision, outcome, compare)
  else if (record.judged === undefined) compare.differ('judged', null, asJson(decision.call))
  else if (recomputed.missing === null)
    await compareCall(deps, { ...stored, call: decision.call }, recomputed, outcome, { compare, inRecord })
}

/**
 * A moment that neither acts nor asks for a yes writes only what stops it, what ends a yes, and that
 * something was done outside all the same.
 */
async function compareOtherFacts(
  deps: JudgeDeps,
  stored: StoredVerdict,
  { being, record }: StoredOutcome,
  compare: Comparison,
): Promise<void> {
  if (isActLike({ kind: record.outcome })) return
  const { wake } = stored.open?.record ?? {}
  const yes = wake?.kind === 'event' && wake.id.startsWith(APPROVED_PREFIX) ? wake.id : null
  const isExpected = ({ reel, kind }: FactHeader) =>
    (kind === 'being:parked' && reel === beingReel(being)) ||
    (kind === 'approval:voided' &&
      yes !== null &&
      reel === approvalReel(yes.slice(APPROVED_PREFIX.length))) ||
    (kind === COUNTED_KIND && record.effect !== undefined)
  const other = (await readFacts(deps, stored)).filter(({ header }) => !isExpected(header))
  if (other.length > 0)
    compare.differ(
      'act facts',
      asJson(other.map(({ header: { reel, kind }, payload }) => ({ reel, kind, payload }))),
      [],
    )
}

/** Each call that a model was refused on the way is judged again, from the heads that its refusal names. */
async function compareTries(
  deps: JudgeDeps,
  stored: StoredVerdict,
  recomputed: RecomputedMoment,
  outcome: StoredOutcome,
  tries: readonly RefusedTry[],
  compare: Comparison,
): Promise<void> {
  for (const { call, code, heads = [] } of tries) {
    if (call === null) continue
    const judged = await judgeStored(
      deps,
      { ...stored, judged: heads, call, isRefusedTry: true },
      recomputed,
      outcome,
    )
    if (judged === null || judged.isUnsure || judged.isOfThread) continue
    const { conclusion } = judged
    compare.same('try', code, conclusion?.kind === 'failure' ? conclusion.reason : null)
  }
}

async function compareCall(
  deps: JudgeDeps,
  stored: StoredVerdict & { readonly call: VerbCall },
  recomputed: RecomputedMoment,
  outcome: StoredOutcome,
  { compare: always, inRecord: compare }: { readonly compare: Comparison; readonly inRecord: Comparison },
): Promise<void> {
  const { record } = outcome
  let judged: RejudgedMoment | null
  try {
    judged = await judgeStored(deps, stored, recomputed, outcome)
  } catch (error) {
    if (error instanceof ErasedError) throw error
    if (namesThread(stored.call) && mayBeRefusedByThread(record)) return // it may be let through since
    // It read what the gates did not read, because they refused before that.
    return compare.differ('judged', record.reason, error instanceof Error ? error.message : String(error))
  }
  if (judged === null) return compare.differ('effect', record.outcome, 'permitted, and no effect is recorded')
  const { conclusion, isUnsure, isOfThread } = judged
  if (conclusion === null || isUnsure) return
  const isPending = conclusion.kind === 'effect-pending'
  if (!isPending && isOfThread && mayHaveMovedThread(stored.call, record, conclusion)) return
  const { outcome: kind, reason, by, shadow = [] } = record
  const recorded = { outcome: kind, reason, by, shadow, facts: await factsOf(deps, stored) }
  for (const { field, recorded: was, concluded } of differencesFrom(recorded, conclusion)) {
    // Otherwise a record could name other code, and so hide any fact.
    const to = field === 'act facts' && isOwnCall(stored.call) ? always : compare
    to.differ(field, was, concluded)
  }
  if (!isPending && isActLike(conclusion) && conclusion.kind === kind && !isOfThread)
    compare.same('result', outcome.result, conclusion.result)
}

/**
 * Whether the facts of a call, once it is allowed, are those of TreeOS itself, whatever extensions are
 * loaded.
 */
function isOwnCall(call: VerbCall): boolean {
  if (call.verb === 'summon' || call.verb === 'see') return true
  const { operation, args } = call
  return !operation.includes(':') && operation !== 'mediate' && args?.preset === undefined
}

type RejudgedMoment = Awaited<ReturnType<typeof concludePast>>

interface StoredCall extends StoredVerdict, Pick<PastCall, 'call'> {
  /** a model was refused it before it decided: dry-run rules were not asked about it */
  readonly isRefusedTry?: boolean
}

async function judgeStored(
  deps: JudgeDeps,
  { open: opened, judged, content, call, isRefusedTry = false, ...stored }: StoredCall,
  recomputed: RecomputedMoment,
  { being }: StoredOutcome,
): Promise<RejudgedMoment | null> {
  const worn = wornIn(recomputed)
  if (opened === null || worn === null) return null
  const open = wholeOpen(opened)
  const cited = overlaid(opened.basis.heads, judged)
  const judge = (root: string) => {
    const reader = new WorldReader(deps.past.cited(cited, { being, ...open }))
    const past = { being, content, call, open: { ...open, wake: { ...open.wake, root } } }
    return concludePast(deps, past, { worn, seen: recomputed.seen }, { reader, asksDryRun: !isRefusedTry })
  }
  const first = await judge(open.wake.root)
  if (isOfThread(open.wake) || areFacts(factsIn(first.conclusion), await factsOf(deps, stored))) return first
  return judge(open.wake.id) // its thread was cut after it opened, so it acted in one of its own
}

/** A thread that refused a call must have been cut. What the other reasons tell of is not kept. */
async function compareOtherRefusal(
  { db, past }: JudgeDeps,
  { open, content }: StoredVerdict,
  { being, record }: StoredOutcome,
  compare: Comparison,
): Promise<void> {
  compare.same('outcome', record.outcome, 'failure')
  if (record.beside !== 'thread' || open === null) return
  const { root } = await answeredWake(
    { being, open: open.record, content },
    { entry: (id) => findEntry(db, id) },
  )
  if ((await past.reel(threadReel(root))).length === 0) compare.differ('beside', record.beside, null)
}

function compareUnjudged(
  decision: Exclude<Decision, { kind: 'call' }>,
  { record }: StoredOutcome,
  compare: Comparison,
): void {
  if (record.outcome === 'failure' && WITHOUT_DECISION.has(record.reason ?? '')) return
  compare.same('outcome', record.outcome, decision.kind)
  if (decision.kind === 'failure')
    compare.same('reason', record.reason, isErrorCode(decision.code) ? decision.code : 'INTERNAL')
}

const factsOf = async (
  deps: JudgeDeps,
  stored: Pick<StoredVerdict, 'facts'>,
): Promise<RecordedEnd['facts']> =>
  (await readFacts(deps, stored)).map(({ header: { reel, kind }, payload }) => ({ reel, kind, payload }))

const readFacts = async ({ past }: JudgeDeps, { facts }: Pick<StoredVerdict, 'facts'>): Promise<Fact[]> =>
  Promise.all(
    facts.map(async ({ reel, seq }) => {
      const fact = (await past.reel(reel, seq)).fact(seq)
      if (fact === undefined) throw new Error(`fact ${seq} of ${reel} is missing`)
      return fact
    }),
  )
