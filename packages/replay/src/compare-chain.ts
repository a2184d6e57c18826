import {
  type BeingName,
  canonicalJson,
  type Digest,
  type Fact,
  type HeadRef,
  isContinuation,
  type Json,
} from '@treeos/core'
import { codeOf } from '@treeos/reality'
import {
  actDigest,
  basisDigest,
  type Db,
  digestOfCanonical,
  factsByHash,
  type InboxEntry,
  isMomentHash,
  listEntries,
  notedDigest,
  type OpenRecord,
  type RecordedMoment,
  readRecorded,
  type StoredOutcome,
  saltedDigest,
  wholeOpen,
} from '@treeos/store'
import { LAW, momentCognition, PROMPT_LAYOUT, type Registry } from '@treeos/world'
import { compareVerdict } from './compare-verdict.ts'
import { compareWake } from './compare-wake.ts'
import { Comparison, type Mismatch } from './comparison.ts'
import { LastDigests } from './digests.ts'
import { ErasedError } from './loaded-reel.ts'
import { PastAnswers } from './past-answers.ts'
import type { PastStates } from './past-states.ts'
import { recomputeMoment } from './recompute.ts'

/** Dependencies of chain replay. */
export interface ChainReplayDeps {
  readonly db: Db
  readonly registry: Registry
  readonly past: PastStates
  /** ends it */
  readonly signal?: AbortSignal | undefined
}

/** Moments that are read at once. A basis may hold thousands of heads. */
const PAGE = 50

/**
 * Recomputes every moment of a being from the reels alone: folds each reel up to the head that the moment
 * cited, reads, evaluates, composes, judges what was decided, and compares with the records. Calls no model:
 * its answer is recorded.
 */
export async function replayFromChain(
  deps: ChainReplayDeps,
  being: BeingName,
  outcomes: readonly StoredOutcome[],
): Promise<ChainReplayed> {
  const mismatches: Mismatch[] = []
  const elsewhere: Mismatch[] = []
  const counted = { olderPrompts: 0, partly: 0, otherCode: 0 }
  const last: LastOfBeing = { sealed: null, digests: new LastDigests() }
  for (let from = 0; from < outcomes.length; from += PAGE) {
    const page = outcomes.slice(from, from + PAGE)
    const records = await readRecorded(
      deps.db,
      page.map(({ moment }) => moment),
    )
    const opens = page.flatMap(({ moment }) => records.get(moment)?.open?.record ?? [])
    const entries = await readableEntries(
      deps.db,
      opens.map(({ wake }) => wake.id),
    )
    const answers = await PastAnswers.of(deps.db, being, opens)
    const causes = await factsByHash(
      deps.db,
      [...entries.values()].flatMap(({ kind, cause }) => (kind === 'event' && cause !== null ? [cause] : [])),
    )
    for (const outcome of page) {
      deps.signal?.throwIfAborted()
      const stored = records.get(outcome.moment) ?? NOTHING
      const entry = entries.get(stored.open?.record.wake.id ?? '') ?? null
      const compare = new Comparison(being, outcome.n, 'chain')
      try {
        const moment = { ...stored, entry, content: entry?.content ?? null, causes, answers }
        const replayed = await replayMoment(deps, moment, outcome, last, compare)
        for (const less of replayed.less) counted[less] += 1
        elsewhere.push(...replayed.elsewhere)
      } catch (error) {
        if (error instanceof ErasedError) counted.partly += 1
        else compare.differ('moment', outcome.moment, error instanceof Error ? error.message : String(error))
      }
      mismatches.push(...compare.mismatches)
      if (outcome.kind === 'act') last.sealed = { sealedAt: outcome.sealedAt, primary: outcome.primary ?? '' }
    }
  }
  return { mismatches, elsewhere, ...counted }
}

/** Wakes by id. One that was changed so that it cannot be read is left out, as if it were gone. */
async function readableEntries(db: Db, wakes: readonly string[]): Promise<ReadonlyMap<string, InboxEntry>> {
  try {
    return await listEntries(db, wakes)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    if (wakes.length === 1) return new Map()
    const each = await Promise.all(wakes.map((wake) => readableEntries(db, [wake])))
    return new Map(each.flatMap((entries) => [...entries]))
  }
}

/** The differences, and how many moments are compared only in part. */
export interface ChainReplayed extends Readonly<Record<ComparedLess, number>> {
  readonly mismatches: readonly Mismatch[]
  /**
   * the differences in moments that `otherCode` counts: the extensions loaded now showed or judged something
   * otherwise
   */
  readonly elsewhere: readonly Mismatch[]
}

/**
 * Why a moment is compared only in part.
 * - `olderPrompts`: its prompt has an older layout
 * - `partly`: what it rests on was erased
 * - `otherCode`: other extensions showed it the world or judged its call than are loaded here, and these do
 *   so otherwise
 */
export type ComparedLess = 'olderPrompts' | 'partly' | 'otherCode'

const NOTHING_LESS = { less: [], elsewhere: [] }
const NOTHING: RecordedMoment = { open: null, judged: [], facts: [], answer: null }

/** What is stored of a moment, of its wake, and of what caused wakes. */
interface StoredMoment extends RecordedMoment {
  readonly entry: InboxEntry | null
  readonly content: Json
  /** facts that caused wakes by change, by hash */
  readonly causes: ReadonlyMap<Digest, Fact>
  readonly answers: PastAnswers
}

/** What the replay of a being's earlier moments left for the next one. */
interface LastOfBeing {
  sealed: OpenRecord['lastSealed']
  readonly digests: LastDigests
}

async function replayMoment(
  deps: ChainReplayDeps,
  stored: StoredMoment,
  outcome: StoredOutcome,
  last: LastOfBeing,
  compare: Comparison,
): Promise<{ less: ComparedLess[]; elsewhere: readonly Mismatch[] }> {
  const { db, registry, past } = deps
  const { record } = outcome
  if (stored.open === null) {
    compare.differ('open', record.open, null)
    return NOTHING_LESS
  }
  const open = wholeOpen(stored.open)
  const { basis } = stored.open
  const { layout } = open
  if (layout > PROMPT_LAYOUT)
    throw new Error(`it shows layout ${layout} of the prompt, and this version knows up to ${PROMPT_LAYOUT}`)
  if (record.law !== LAW)
    throw new Error(`it was judged by law ${record.law}, and this version knows law ${LAW}`)
  compare.same('open', record.open, stored.open.digest)
  compare.same('noted', open.noted ?? null, notedDigest(basis.salt, basis.noted))
  compare.same('lastSealed', open.lastSealed, last.sealed)
  const elsewhere = new Comparison(outcome.being, outcome.n, 'chain')
  const isOther = otherCodeOf(registry, open, record)
  const { content } = stored
  const gone = await goneOf(past, stored, outcome)
  const recomputed = await recomputeMoment(
    registry,
    outcome,
    // Of words that were erased nobody can tell any more where they came from.
    {
      open: gone.words && open.outside === true ? { ...open, wake: { ...open.wake, outside: true } } : open,
      content,
    },
    past.cited(
      basis.heads,
      { being: outcome.being, ...open },
      { sealedBy: isOther.face ? open.openedAt : null },
    ),
  )
  const { seen, stack, me } = recomputed
  // Less is compared, so the record that says so must be the one that was hashed.
  if (isOther.record && !isHashed(outcome)) compare.differ('record', outcome.hash, null)
  const inFace = isOther.face ? elsewhere : compare
  const inRecord = isOther.record ? elsewhere : compare
  compare.same('cognition', open.cognition, momentCognition(me, open.driver))
  // The being's own reel says who drove it at that time.
  if (open.driver !== null) compare.same('driver', open.driver, me.inhabited?.by ?? null)
  if (open.driver !== null) compare.same('own', open.own ?? false, me.inhabited?.own ?? false)
  compare.same('program', open.program, last.digests.program.of(seen.program))
  compare.same('context', open.context, seen.context)
  compare.same('hidden', open.hidden === true, seen.isPlaceHidden)
  compare.same('outside', open.outside === true, seen.outside)
  compare.same('orientation', open.orientation ?? null, seen.orientation)
  compare.same('shadow', open.shadow ?? null, seen.shadow)
  compare.same('triedOutside', open.triedOutside ?? [], seen.triedOutside)
  compare.same('heads', open.heads, seen.heads)
  inFace.same('unseen', open.quotes?.unseen ?? [], seen.unseen)
  // The worker of this moment had not loaded the code of a role. Its see-resolvers gave nothing, and the
  // moment failed.
  const codeWasMissing = record.stack !== null && record.promptDigest === null
  if (!codeWasMissing) {
    compare.same('basis', open.basis, basisDigest(basis.salt, basis.heads))
    inFace.same('basis', open.basis, basisDigest(basis.salt, seen.basis))
    inFace.same('aside', open.aside ?? {}, seen.aside)
    if (!gone.words)
      inFace.same('face', open.face, seen.faceText === null ? null : digestOfCanonical(seen.faceText))
  }
  await compareWake(
    { db, past, answers: stored.answers },
    { being: outcome.being, open, entry: stored.entry },
    stored.causes,
    compare,
  )
  const isSuperseded = record.reason === 'superseded'
  if (stored.entry === null && !isSuperseded) compare.differ('inbox', open.wake.id, null)
  // An older generation opened it and decided nothing.
  if (isSuperseded) return { less: countOf(elsewhere), elsewhere: elsewhere.mismatches }

  compare.same('stack', record.stack, stack)
  compare.same('stackDigest', record.stackDigest, stack === null ? null : last.digests.stack.of(stack))
  if (stack !== null && !codeWasMissing) {
    const surface = seen.face === null ? null : last.digests.surface.of(seen.face.surface)
    inRecord.same('surfaceDigest', record.surfaceDigest, surface)
    if (recomputed.missing !== null && !isOther.record)
      throw new Error(`the prompt of ${recomputed.missing} is code in a version that is not loaded here`)
    if (layout === PROMPT_LAYOUT && !gone.words && !gone.content)
      inRecord.same('promptDigest', record.promptDigest, recomputed.prompt)
  }
  compareAct(stored, outcome, compare)
  const isJudged = !codeWasMissing && !gone.content && !gone.decision
  if (isJudged) await compareVerdict(deps, stored, recomputed, outcome, { compare, inRecord })
  const less: ComparedLess[] = [
    ...(stack !== null && layout < PROMPT_LAYOUT ? (['olderPrompts'] as const) : []),
    ...(gone.content || gone.decision || gone.words ? (['partly'] as const) : []),
    ...countOf(elsewhere),
  ]
  return { less, elsewhere: elsewhere.mismatches }
}

const isHashed = ({ hash, prev, record }: StoredOutcome): boolean =>
  isMomentHash(Buffer.from(hash, 'hex'), Buffer.from(prev, 'hex'), Buffer.from(canonicalJson(record)))

const countOf = ({ mismatches }: Comparison): 'otherCode'[] => (mismatches.length > 0 ? ['otherCode'] : [])

/**
 * Whether other extensions than are loaded here showed the moment its face, and whether others composed its
 * prompt or judged its call. A worker may be started again with others between the two. What a moment was
 * shown is part of all that follows.
 */
function otherCodeOf(
  registry: Registry,
  open: OpenRecord,
  record: StoredOutcome['record'],
): { readonly face: boolean; readonly record: boolean } {
  const here = codeOf(registry)
  const face = (open.code ?? here) !== here
  return { face, record: face || (record.code ?? here) !== here }
}

/** What a moment rests on and was erased: the content of its wake, words that it was shown, its decision. */
async function goneOf(past: PastStates, { open, entry, content }: StoredMoment, { moment }: StoredOutcome) {
  const erasures = await past.erasures()
  const isErased = ([reel, seq]: HeadRef) => erasures.ofFact(reel, seq) !== undefined
  const { wake } = open?.record ?? {}
  // The content of a wake by which a being goes on is that of the wake before it.
  const isBlank = entry !== null && content === null && wake !== undefined && isContinuation(wake)
  if (erasures.isEmpty) return { content: isBlank, words: false, decision: false }
  const aside = open?.noted?.aside
  const cause = wake?.cause ? await past.find(`being:${wake.caller?.name}`, wake.cause) : undefined
  const isOwn = erasures.ofMoment(moment) !== undefined
  return {
    content:
      (cause !== undefined &&
        cause.payload === null &&
        erasures.ofFact(cause.header.reel, cause.header.seq) !== undefined) ||
      (isOwn && wake?.kind === 'act') ||
      isBlank,
    words: [...(aside?.said?.facts ?? []), ...(aside?.did ?? []), ...(aside?.past?.facts ?? [])].some(
      isErased,
    ),
    decision: isOwn,
  }
}

/**
 * Compares the act with its facts, which hold its moment's id, and with the digest over decision and facts.
 */
function compareAct({ facts, answer }: RecordedMoment, outcome: StoredOutcome, compare: Comparison): void {
  const { record } = outcome
  const cited = facts.map(({ reel, seq, hash }): HeadRef => [reel, seq, hash])
  compare.same('facts', sortRefs(record.facts), sortRefs(cited))
  if (record.decision !== null && answer !== null) {
    compare.same('decision', record.decision, saltedDigest(answer.salt, answer.bytes))
  }
  const hashes = record.facts.map(([, , hash]) => hash)
  const act = actDigest({ moment: outcome.moment, decision: record.decision ?? '', facts: hashes })
  compare.same('act', record.act, outcome.kind === 'act' ? act : null)
}

const sortRefs = (refs: readonly HeadRef[]) =>
  [...refs].sort(([a, i], [b, j]) => (a === b ? i - j : a < b ? -1 : 1))
