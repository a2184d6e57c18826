import {
  approvalOf,
  type BeingName,
  type ErrorCode,
  isErrorCode,
  stanceOf,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import type { EffectPending } from '../extend/effect.ts'
import type { Registry } from '../extend/registry.ts'
import type { ShadowVerdict } from '../gates/refusal.ts'
import type { WorldReader } from '../read/reader.ts'
import { COUNTED_KIND } from '../rows/tallies.ts'
import type { Act } from '../verbs/act-inputs.ts'
import { voidedFact } from '../verbs/consent/yes.ts'
import type { ConcludedMoment, Conclusion, Verdict } from './conclusion.ts'
import { type CallingMoment, failed, judge } from './judge.ts'
import { AskedQuestions, type LiveQuestions } from './live.ts'
import { type DecidedMoment, type LawInputs, type UnlivedMoment, unlivedMoment } from './moment.ts'
import { noticesOfEnd, parking } from './notices.ts'
import { goingOn } from './self-continue.ts'

/**
 * Number of the law: each record names the one by which its moment was judged. It grows when the law says
 * something else of some moment.
 */
export const LAW = 1

/** The world, and the code, over which the law is asked. */
export interface LawOver {
  readonly reader: WorldReader
  readonly live: LiveQuestions
  readonly registry: Registry
  /** sha256 of canonical JSON, in hex */
  readonly digest: LawInputs['digest']
  /** dry-run rules are asked, too; they are not when left out */
  readonly asksDryRun?: boolean
  /**
   * false: it is not asked how its being goes on. A look then shows nothing, since no record holds what it
   * read
   */
  readonly goesOn?: false
}

/**
 * The one law: what a decided moment comes to, with all that it writes and sends. It has no side effects.
 * Clocks, leases, epochs, locks and retries are its caller's, and what they refuse comes in as
 * `moment.refused`.
 * @returns the conclusion, which says on which live and code questions it rests; or the effect that has to be
 *   done before it can be drawn
 * @throws the error of a read that failed
 */
export async function conclude(moment: DecidedMoment, over: LawOver): Promise<Conclusion> {
  const { reader, live, registry, digest, asksDryRun = false } = over
  const asked = new AskedQuestions(live)
  const shadows: ShadowVerdict[] | null = asksDryRun ? [] : null
  const at: LawInputs = { reader, registry, asked, digest, shadows }
  const isJudged = isCalling(moment) && moment.refused === undefined
  const found = await verdictOn(moment, at)
  if (found.kind === 'effect-pending') return found
  const noted = await withCounted(moment, await withVoided(moment, found, at), at)
  const heads = isJudged ? { judged: [...reader.heads.values()] } : {} // copied: a look reads more
  const { verdict, wakes, notices } =
    over.goesOn === false ? { verdict: noted, wakes: [], notices: [] } : await goingOn(moment, noted, at)
  const park = verdict.breach === undefined ? null : await parking(reader, moment, verdict.breach)
  const { act, notes = [], asks = [] } = verdict
  // A failure with which its model decides again is told to nobody.
  const told = wakes.length > 0 ? [] : await noticesOfEnd(moment, verdict, park?.notice.being ?? null, asked)
  return {
    ...verdict,
    ...heads,
    // What no gate refused is not judged again by a replay, so it says nothing of dry runs.
    ...(shadows === null || shadows.length === 0 || verdict.beside !== undefined ? {} : { shadow: shadows }),
    by: act?.by ?? verdict.by ?? [],
    facts: [...(park === null ? (act?.facts ?? []) : [park.fact]), ...notes],
    result: act?.result ?? verdict.result ?? null,
    closes: act?.closes ?? verdict.closes ?? [],
    sends: {
      said: act?.wakes ?? [],
      asks,
      notices: [...told, ...notices, ...(park === null ? [] : [park.notice])],
      goesOn: wakes,
    },
    restsOn: asked.restsOn,
  } satisfies ConcludedMoment
}

/**
 * The same for one call of a being that wears something.
 * @returns the conclusion; what waits for its effect passed both gates
 */
export const concludeCall = (
  moment: Omit<CallingMoment, 'decision'>,
  call: VerbCall,
  over: LawOver,
): Promise<Conclusion> => conclude({ ...moment, decision: { kind: 'call', call, content: null } }, over)

/**
 * The same for a call that a being could make now, outside of any moment.
 * @returns the act that both gates allow; null for one that its effect has to be done before
 * @throws {TreeosError} the refusal
 */
export async function concludeUnlived(
  moment: UnlivedMoment,
  call: VerbCall,
  over: Pick<LawOver, 'reader' | 'live' | 'registry' | 'digest'>,
): Promise<Act | null> {
  const concluded = await concludeCall(unlivedMoment(moment), call, { ...over, goesOn: false })
  if (concluded.kind === 'effect-pending') return null
  const { act, refusal, reason, detail } = concluded
  if (act !== null) return act
  throw (
    refusal ?? new TreeosError(isErrorCode(reason ?? '') ? (reason as ErrorCode) : 'INTERNAL', detail ?? '')
  )
}

const isCalling = (moment: DecidedMoment): moment is CallingMoment =>
  moment.worn !== null && moment.decision?.kind === 'call'

async function verdictOn(moment: DecidedMoment, at: LawInputs): Promise<Verdict | EffectPending> {
  const { being, open, decision, missing = null, refused, skip } = moment
  if (moment.worn === null || decision === null)
    return {
      kind: 'skipped',
      reason: skip?.reason ?? 'role-unresolved',
      detail: open.ended === true ? whyEnded(being) : (skip?.detail ?? null),
      act: null,
    }
  // It was ended while it thought. A head that was read has moved then, so no act of it is committed later
  // either.
  if ((await at.reader.being(being))?.ended !== undefined) return failed('BEING_ENDED', whyEnded(being))
  if (missing !== null)
    return failed(
      'ROLE_UNAVAILABLE',
      `role ${missing} needs code that is not loaded in this worker: was its extension removed?`,
    )
  if (refused !== undefined) return { ...failed(refused.code, refused.message), beside: refused.beside }
  if (decision.kind === 'see') return { kind: 'see', reason: null, detail: null, act: null }
  if (isCalling(moment)) return judge(moment, at)
  const { code, message, breach } = decision as Extract<typeof decision, { kind: 'failure' }>
  return { ...failed(code, message), ...(breach === undefined ? {} : { breach }) }
}

const whyEnded = (being: BeingName): string => `${stanceOf(being)} was ended: it answers nobody any more`

/** A moment that brings a yes and ends without the act uses up the yes. */
async function withVoided(
  { open }: DecidedMoment,
  verdict: Verdict,
  { reader }: LawInputs,
): Promise<Verdict> {
  const id = approvalOf(open.wake)
  if (id === null || verdict.kind === 'act' || (await reader.approval(id))?.state !== 'given') return verdict
  return { ...verdict, notes: [voidedFact(id, { code: verdict.reason ?? verdict.kind })] }
}

/** What was done outside, or may have been, counts although the moment fails. */
async function withCounted(
  { hasEffect, refused }: DecidedMoment,
  verdict: Verdict,
  { reader, asked }: LawInputs,
): Promise<Verdict> {
  if (hasEffect !== true || verdict.kind === 'act') return verdict
  const result = (await asked.questions.effect())?.result ?? null
  const ended =
    result !== null && 'error' in result
      ? result.error.code
      : refused?.beside === 'effect'
        ? refused.code
        : undefined
  if (ended === 'FORBIDDEN' || ended === 'SERVICE_UNAVAILABLE') return verdict // nothing was done outside
  const facts = (await asked.questions.heldCounts()).map(({ reel, payload }) => ({
    reel,
    kind: COUNTED_KIND,
    payload: { ...payload, failed: true },
  }))
  await reader.prefetch(facts.map(({ reel }) => reel))
  return facts.length === 0 ? verdict : { ...verdict, notes: [...(verdict.notes ?? []), ...facts] }
}
