import {
  asJson,
  type BeingName,
  CONTINUE_PREFIX,
  canonicalJson,
  isContinuation,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  LOOK_PREFIX,
  quote,
  stanceOf,
  utf8Length,
  type Wake,
} from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import type { ComposedMoment, LoadedMoment } from '@treeos/reality'
import { countOwnWakes, type Db, type OpenRecord } from '@treeos/store'
import { type Descriptor, OPERATOR, orientationRemark, tightest, type WorldReader } from '@treeos/world'
import { answeredBy, eventWake } from './follow-up.ts'
import type { Verdict } from './judge.ts'
import type { Proposal } from './propose.ts'
import { isChainFull, type StampReading } from './read.ts'

/** Reason of an outcome: the being used up its self-continues in this chain. */
const CONTINUES_SPENT = 'self-continues-spent'
/** Reason of an outcome: the being looked as often in a row as it may. */
const LOOKS_SPENT = 'looks-spent'
/** Reason of an outcome: the chain reached its limit of wakes. */
const CHAIN_SPENT = 'chain-spent'

export interface Continued {
  readonly verdict: Verdict
  /** the being's next wake, if there is one */
  readonly wakes: readonly Wake[]
  /** for the operator, when a limit prevented the next wake */
  readonly notices: readonly Wake[]
}

/** Adds the wake with which a being goes on by itself: after a look, and after an act in a role with `selfContinue`. */
export async function continueAfter(
  db: Db,
  input: StampInput,
  proposal: Proposal,
  verdict: Verdict,
  reading: StampReading,
): Promise<Continued> {
  const unchanged = { verdict, wakes: [], notices: [] }
  if (proposal.kind !== 'decided' || reading.current.record.wake.kind === 'act') return unchanged
  if (verdict.kind === 'see') {
    const { decision } = proposal
    const seen = verdict.act?.seen ?? null
    if (seen === null || decision.kind !== 'call' || decision.call.verb !== 'see') return unchanged
    return afterLook(db, input, verdict, { address: decision.call.address, seen }, reading.current)
  }
  const { role } = proposal.composed
  return role.selfContinue && verdict.kind === 'act' && verdict.act?.rests !== true
    ? continueItself(db, input, role, verdict, reading)
    : unchanged
}

/**
 * Shows a being what it looked at: its next wake holds the descriptor, and keeps the caller, thread, hops and priority of the
 * wake that the look was for. So the being answers its asker then. It goes on until it acts or decides nothing, or has
 * looked {@link LIMITS.looksMax} times in a row; that moment says so in its outcome.
 */
async function afterLook(
  db: Db,
  input: StampInput,
  verdict: Verdict,
  look: { readonly address: string; readonly seen: () => Promise<Descriptor> },
  current: LoadedMoment,
): Promise<Continued> {
  const { record: open } = current
  const { caller, priority, hops, continues, inReplyTo, expectReply, looks = 0 } = open.wake
  if (looks >= LIMITS.looksMax) return looksSpent(input, open, verdict)
  if (await isChainFull(db, open.wake.root)) return chainSpent(input, open, verdict)
  const content = lookContent(input, current, { address: look.address, seen: asJson(await look.seen()) })
  const wake: Wake = {
    ...eventWake(input.being, LOOK_PREFIX + input.moment, content, open.wake),
    caller,
    priority,
    hops,
    continues,
    inReplyTo,
    askedRole: open.asked,
    answers: answeredBy(open),
    looks: looks + 1,
    ...(expectReply === undefined ? {} : { expectReply }),
    ...(current.overlays?.call == null ? {} : { overlay: current.overlays.call }), // it is the same call
  }
  return { verdict, wakes: [wake], notices: [] }
}

/** What a look showed, what the looks in a row before it showed, oldest first, and what all of them are for. */
function lookContent(
  input: StampInput,
  current: LoadedMoment,
  { address, seen }: { readonly address: string; readonly seen: Json },
): JsonObject {
  const { caller, looks = 0 } = current.record.wake
  return fitContent({
    event: 'look',
    actor: stanceOf(input.being),
    prior: input.moment,
    step: looks + 1,
    of: LIMITS.looksMax,
    ...(caller === null ? {} : { correlation: answeredBy(current.record) }),
    ...originOf(current),
    earlier: looks === 0 ? [] : looksIn(current.content),
    address,
    seen,
  })
}

/** The looks that the content of a look's wake shows, oldest first. */
function looksIn(content: Json): Json[] {
  if (!isJsonObject(content)) return []
  const { earlier, address = null, seen = null } = content
  return [...(Array.isArray(earlier) ? earlier : []), { address, seen }]
}

async function continueItself(
  db: Db,
  input: StampInput,
  { defaultOrientation }: ComposedMoment['role'],
  verdict: Verdict,
  { reader, current }: StampReading,
): Promise<Continued> {
  const { record: open } = current
  // Counted over the whole cause chain, so that an answer on the way does not start a new count.
  const gone = await countOwnWakes(db, input.being, open.wake.root, CONTINUE_PREFIX)
  const { max, of } = await selfContinuesMaxOf(reader, input.being)
  if (gone >= max) return selfContinuesSpent(input, open, verdict, { gone, of })
  if (await isChainFull(db, open.wake.root)) return chainSpent(input, open, verdict)
  const step = gone + 1
  const own = { actor: stanceOf(input.being), prior: input.moment, step, of: max }
  const content = fitContent({ event: 'self-continue', ...own, ...originOf(current) })
  const wake = eventWake(input.being, CONTINUE_PREFIX + input.moment, content, open.wake)
  const { hops, priority } = open.wake
  const remark = orientationRemark(defaultOrientation) // judged like a summon to itself
  return {
    verdict: { ...verdict, ...remark },
    wakes: [{ ...wake, hops, continues: step, priority }],
    notices: [],
  }
}

async function selfContinuesMaxOf(reader: WorldReader, being: BeingName) {
  const me = await reader.being(being)
  const line = me === null ? [] : [me, ...(await reader.lineage(being))]
  return tightest(line, 'selfContinues', LIMITS.selfContinuesMax)
}

function selfContinuesSpent(
  input: StampInput,
  open: OpenRecord,
  verdict: Verdict,
  { gone, of }: { gone: number; of: BeingName | null },
): Continued {
  const content = {
    event: CONTINUES_SPENT,
    actor: stanceOf(input.being),
    moment: input.moment,
    continues: gone,
  }
  const notices =
    input.being === OPERATOR
      ? []
      : [eventWake(OPERATOR, `spent/${input.being}/${open.wake.root}`, content, open.wake)]
  const whose = of === null ? '' : ` that the budget of ${stanceOf(of)} allows`
  const detail = `the being has used all ${gone} self-continues${whose}`
  return { verdict: { ...verdict, reason: CONTINUES_SPENT, detail }, wakes: [], notices }
}

function chainSpent(input: StampInput, open: OpenRecord, verdict: Verdict): Continued {
  const { root } = open.wake
  const content = { event: CHAIN_SPENT, actor: stanceOf(input.being), moment: input.moment, root }
  const detail = `the chain of ${quote(root)} has reached its limit of ${LIMITS.chainWakesMax} wakes`
  return {
    verdict: { ...verdict, reason: CHAIN_SPENT, detail },
    wakes: [],
    notices: input.being === OPERATOR ? [] : [eventWake(OPERATOR, `chain-spent/${root}`, content, open.wake)],
  }
}

function looksSpent(input: StampInput, open: OpenRecord, verdict: Verdict): Continued {
  const looks = LIMITS.looksMax
  const content = { event: LOOKS_SPENT, actor: stanceOf(input.being), moment: input.moment, looks }
  const id = `looked/${input.being}/${answeredBy(open)}`
  return {
    verdict: {
      ...verdict,
      reason: LOOKS_SPENT,
      detail: `the being looked ${looks} times in a row before this look, and ${looks} are allowed: it sees no more until a new wake`,
    },
    wakes: [],
    notices: input.being === OPERATOR ? [] : [eventWake(OPERATOR, id, content, open.wake)],
  }
}

/**
 * The caller and content that the being goes on with. A moment sees no past turns, so the wakes by which a being goes on
 * repeat them.
 */
function originOf({ record: { wake, caller }, content }: LoadedMoment): { begun?: Json } {
  if (isContinuation(wake))
    return isJsonObject(content) && 'begun' in content ? { begun: content.begun ?? null } : {}
  return { begun: caller === null ? content : { from: stanceOf(caller.name), content } }
}

/** Replaces parts of a content that is too large with a note: the earlier looks, oldest first, then `begun`, then `seen`. */
function fitContent(content: JsonObject): JsonObject {
  let kept = content
  const isTooLarge = () => utf8Length(canonicalJson(kept)) > LIMITS.contentBytesMax
  const omitted = () =>
    `left out: with it the content has ${utf8Length(canonicalJson(kept))} bytes, at most ${LIMITS.contentBytesMax} are allowed`
  const earlier = Array.isArray(content.earlier) ? content.earlier : []
  for (const [i, look] of earlier.entries()) {
    if (!isTooLarge()) return kept
    const noted = { ...(look as JsonObject), seen: { omitted: omitted() } }
    kept = { ...kept, earlier: (kept.earlier as Json[]).with(i, noted) }
  }
  for (const field of ['begun', 'seen']) {
    if (!isTooLarge()) break
    if (field in kept) kept = { ...kept, [field]: { omitted: omitted() } }
  }
  return kept
}
