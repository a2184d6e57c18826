import {
  asJson,
  type Digest,
  type FactDraft,
  type HeadRef,
  refusalIn,
  type SeenHead,
  SPEECH_KIND,
  type Wake,
} from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import { codeOf, type LoadedMoment } from '@treeos/reality'
import {
  actDigest,
  type Batch,
  type BeforeStamp,
  type BuiltFact,
  buildFacts,
  commitRefusal,
  commitSends,
  headsBeyond,
  judgedDigest,
  type MomentRecord,
  type OpenRecord,
} from '@treeos/store'
import {
  type Act,
  type ConcludedMoment,
  foldRows,
  isActLike,
  LAW,
  leaseOfAct,
  type WorldReader,
} from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import { changesOf } from './follow-up.ts'
import type { GateInput } from './propose.ts'
import type { StampReading } from './read.ts'

/** The batch that one stamp appends, with the drafts of its facts. */
export interface StampBatch {
  readonly batch: Batch & { readonly outcome: NonNullable<Batch['outcome']> }
  readonly record: MomentRecord
  readonly drafts: readonly FactDraft[]
}

interface StampParts {
  /** digest of the open record as it is stored: a cut may have given the moment another thread */
  readonly open: Digest
  readonly before: BeforeStamp
  readonly proposal: GateInput
  readonly concluded: ConcludedMoment
}

/** Builds facts, rows, wakes and the moment's record from what the law concluded, and writes nothing. */
export async function build(
  { reality, registry }: BeatDeps,
  input: StampInput,
  made: StampParts,
  { reader, recordsHead, now, current }: StampReading,
): Promise<StampBatch> {
  const { record: open } = current
  const { before, concluded } = made
  const { act, sends, facts: drafts } = concluded
  const decided = made.proposal.kind === 'decided' ? made.proposal : null
  const folded = await foldRows(reader, drafts, { actor: input.being, at: open.openedAt })
  const heads = new Map([...headsOf(reader, concluded), recordsHead].map((head) => [head.reel, head]))
  const facts = buildFacts(heads, drafts, {
    actor: input.being,
    driver: open.driver,
    moment: input.moment,
    cause: open.wake.cause,
    at: open.openedAt,
    stack: decided?.composed.digests.stack ?? null,
  })
  const judged = judgedBeyond(before, concluded)
  const isOutside = holdsOutside(open, act, before)
  const sealedAt = Math.max(now, open.openedAt)
  const inbox = withOrigin(isOutside, [
    ...causedBy(sends.said, facts),
    ...sends.asks,
    ...sends.notices,
    ...sends.goesOn,
  ])
  const changes = changesOf(folded, drafts, facts, input.being, { ...open, isOutside })
  const sending = commitSends(before.basisSalt, { inbox, changes, closes: concluded.closes })
  const fields = concluded.refusal === undefined ? null : refusalIn(concluded.refusal)
  const refused = fields === null ? null : commitRefusal(fields)
  const record = recordOf(input, {
    ...{ made, code: codeOf(registry), judged, current, decided, facts, sealedAt },
    ...{ sends: sending?.digest ?? null, refusal: refused?.digest ?? null },
  })
  const lease = open.driver === null ? null : leaseOfAct(current)
  return {
    drafts,
    record,
    batch: {
      reality: reality.id,
      moment: { id: input.moment, being: input.being, generation: input.generation },
      heads,
      facts,
      rows: folded.map((row) => ({ ...row, foldedSeq: facts[row.draft]?.ref.seq ?? 0 })),
      inbox,
      changes,
      closes: concluded.closes,
      outcome: {
        n: input.n,
        kind: concluded.kind,
        reason: concluded.reason,
        detail: refused === null ? concluded.detail : null,
        ...(refused === null ? {} : { refusal: refused.refusal }),
        result: concluded.result,
        wake: open.wake.id,
        sealedAt,
        primaryRole: decided?.stack.primary.name ?? null,
        record,
        ...(judged === null ? {} : { judged }),
        ...(sending === null ? {} : { sends: sending }),
      },
      ...(concluded.thread === undefined ? {} : { thread: concluded.thread }),
      ...(lease === null || !isActLike(concluded) ? {} : { lease: lease.epoch }),
    },
  }
}

/**
 * The heads that the append checks: of all that an act, a refusal or a look rests on, and of the reels that
 * it writes.
 */
function headsOf(reader: WorldReader, concluded: ConcludedMoment): SeenHead[] {
  const read = [...reader.heads.values()]
  if (isActLike(concluded)) return read // what waits rests on all that an act rests on
  const written = new Set(concluded.facts.map(({ reel }) => reel))
  return [...judgedHeads(concluded), ...read.filter(({ reel }) => written.has(reel))]
}

/**
 * The heads from which a call was judged, where the basis has not all of them; null when no call was judged.
 */
const judgedBeyond = ({ basis }: BeforeStamp, { judged }: ConcludedMoment): readonly HeadRef[] | null =>
  judged === undefined
    ? null
    : headsBeyond(
        basis,
        judged.map(({ reel, seq, hash }): HeadRef => [reel, seq, hash]),
      )

const judgedBy = ({ basis, basisSalt }: BeforeStamp, judged: readonly HeadRef[]): Digest | null =>
  judged.length === 0 ? null : judgedDigest(basisSalt, basis.keys(), judged)

/**
 * The heads that a refusal or a look rests on. Append checks them, as it checks all that an act read: so
 * replay, which judges from these heads, sees what the gates saw. It leaves out those of reels without a
 * fact, because it would make a head for each name.
 */
const judgedHeads = ({ judged = [] }: ConcludedMoment): SeenHead[] => judged.filter(({ seq }) => seq > 0)

function recordOf(
  input: StampInput,
  {
    made: { open, before, concluded },
    code,
    judged,
    current,
    decided,
    facts,
    sealedAt,
    sends,
    refusal,
  }: {
    made: StampParts
    code: string
    judged: readonly HeadRef[] | null
    current: LoadedMoment
    decided: Extract<GateInput, { kind: 'decided' }> | null
    facts: readonly BuiltFact[]
    sealedAt: number
    sends: Digest | null
    refusal: Digest | null
  },
): MomentRecord {
  const digests = decided?.composed.digests ?? null
  const decision = decided?.digest ?? null
  const hashes = facts.map(({ ref }) => ref.hash)
  return {
    v: 1,
    law: LAW,
    being: input.being,
    moment: input.moment,
    n: input.n,
    wake: current.record.wake.id,
    openedAt: current.record.openedAt,
    sealedAt,
    open,
    stack: decided?.stack ?? null,
    stackDigest: digests?.stack ?? null,
    surfaceDigest: digests?.surface ?? null,
    promptDigest: decided?.prompt ?? null,
    decision,
    outcome: concluded.kind,
    reason: concluded.reason,
    by: concluded.by,
    act:
      concluded.kind === 'act'
        ? actDigest({ moment: input.moment, decision: decision ?? '', facts: hashes })
        : null,
    facts: facts.map(({ ref }): HeadRef => [ref.reel, ref.seq, ref.hash]),
    ...(decided?.overlay == null ? {} : { overlay: decided.overlay }),
    ...(judged === null ? {} : { judged: judgedBy(before, judged) }),
    ...(decided === null || code === current.record.code ? {} : { code }),
    ...(before.effect === null ? {} : { effect: before.effect }),
    ...(concluded.beside === undefined ? {} : { beside: concluded.beside }),
    ...(concluded.shadow === undefined ? {} : { shadow: asJson(concluded.shadow) }),
    ...(sends === null ? {} : { sends }),
    ...(refusal === null ? {} : { refusal }),
  }
}

/** Whether what a moment sends may hold words from outside: it holds some, or its effect brought some. */
const holdsOutside = (
  { outside }: Pick<OpenRecord, 'outside'>,
  act: Act | null,
  { effect }: BeforeStamp,
): boolean => outside === true || act?.fromOutside === true || (effect !== null && effect.result !== null)

const withOrigin = <W extends Wake>(isOutside: boolean, wakes: readonly W[]): readonly W[] =>
  isOutside ? wakes.map((wake) => ({ ...wake, outside: true })) : wakes

/** Each wake names the fact that caused it. */
function causedBy(wakes: readonly Wake[], facts: readonly BuiltFact[]): Wake[] {
  const speech = facts.find((fact) => fact.ref.kind === SPEECH_KIND)
  return wakes.map((wake) => ({ ...wake, cause: speech?.ref.hash ?? null }))
}
