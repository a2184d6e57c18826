import { countOwnWakes, type Db, type OpenRecord } from '@treeos/chain'
import {
  asJson,
  type BeingName,
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  LIMITS,
  quote,
  stanceOf,
  utf8Length,
  type Wake,
} from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import type { LoadedMoment } from '@treeos/reality'
import { OPERATOR, orientationRemark, tightest, type WorldReader } from '@treeos/world'
import { isChainFull } from './chain-bound.ts'
import { eventWake } from './follow-up.ts'
import type { StampReading } from './read.ts'
import type { Proposal, Verdict } from './verdict.ts'

/** Reason of an outcome: the being used up its self-continues in this chain. */
const CONTINUES_SPENT = 'self-continues-spent'
/** Reason of an outcome: the chain reached its limit of wakes. */
const CHAIN_SPENT = 'chain-spent'

/** Prefix of the ids of self-continue wakes. */
const CONTINUES = 'continue/'

export interface Continued {
  readonly verdict: Verdict
  /** the being's next wake, if there is one */
  readonly wakes: readonly Wake[]
  /** for the operator, when a limit prevented the next wake */
  readonly notices: readonly Wake[]
}

/**
 * Adds the next wake of a role with `selfContinue`. After a sealed act or a SEE the being gets another moment, until it
 * decides nothing. After a SEE the wake holds the descriptor. The limit counts over the whole cause chain, so that an answer
 * on the way does not start a new count. The moment that reaches the limit says so in its outcome.
 */
export async function continueAfter(
  db: Db,
  input: StampInput,
  proposal: Proposal,
  verdict: Verdict,
  { reader, current }: StampReading,
): Promise<Continued> {
  const { record: open } = current
  const unchanged = { verdict, wakes: [], notices: [] }
  if (proposal.kind !== 'decided' || !proposal.composed.role.selfContinue || open.wake.kind === 'act')
    return unchanged
  const look = verdict.act?.seen ?? null
  if (verdict.kind !== 'act' && look === null) return unchanged
  const gone = await countOwnWakes(db, input.being, open.wake.root, CONTINUES)
  const { max, of } = await selfContinuesMaxOf(reader, input.being)
  if (gone >= max) return selfContinuesSpent(input, open, verdict, { gone, of })
  if (await isChainFull(db, open.wake.root)) return chainSpent(input, open, verdict)
  const step = gone + 1
  const own = {
    actor: stanceOf(input.being),
    prior: input.moment,
    step,
    of: max,
    ...originOf(current),
  }
  const content =
    look === null
      ? fitContent({ event: 'self-continue', ...own })
      : fitContent({ event: 'look', ...own, seen: asJson(await look()) })
  const wake = eventWake(input.being, CONTINUES + input.moment, content, open.wake)
  const { hops, priority } = open.wake
  const remark = orientationRemark(proposal.composed.role.defaultOrientation) // judged like a summon to itself
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

/** The caller and content that started the chain of self-continues. A moment sees no past turns, so the wake repeats them. */
function originOf({ record: { caller }, content }: LoadedMoment): { begun?: Json } {
  if (caller !== null) return { begun: { from: stanceOf(caller.name), content } }
  const before = isJsonObject(content) && 'prior' in content ? content.begun : content
  return before === undefined ? {} : { begun: before }
}

/** Replaces fields of a content that is too large with a note: first `begun`, then `seen`. */
function fitContent(content: JsonObject): JsonObject {
  let kept = content
  for (const field of ['begun', 'seen']) {
    const bytes = utf8Length(canonicalJson(kept))
    if (bytes <= LIMITS.contentBytesMax) break
    if (!(field in kept)) continue
    const omitted = `left out: with it the content has ${bytes} bytes, at most ${LIMITS.contentBytesMax} are allowed`
    kept = { ...kept, [field]: { omitted } }
  }
  return kept
}
