import {
  asJson,
  type BeingName,
  type FactDraft,
  type Json,
  type MomentId,
  momentId,
  momentsReel,
  newWake,
  type ReelId,
  type SeenHead,
  type Wake,
} from '@treeos/core'
import {
  type Authorship,
  append,
  type Batch,
  buildFacts,
  type Db,
  type MomentRecord,
  type OutcomeWrite,
  type Reality,
  type RowWrite,
  readHeads,
  readRows,
  type StoreDb,
  type WakingChange,
} from '@treeos/store'
import { evolve, indexOf, LAW, type Row, rowKeyOf } from '@treeos/world'
import type { Kysely } from 'kysely'

/** What a test sets of a moment; the rest has defaults. */
export interface Moment {
  readonly being: BeingName
  readonly generation: number
  readonly n: number
}

export interface Wish {
  readonly moment?: Moment | null
  readonly drafts?: readonly FactDraft[]
  /** reels that are read besides those that are written */
  readonly reads?: readonly ReelId[]
  readonly rows?: readonly RowWrite[]
  readonly inbox?: readonly Wake[]
  readonly changes?: readonly WakingChange[]
  readonly closes?: readonly string[]
  readonly outcome?: Partial<OutcomeWrite>
}

export const OPENED_AT = 1_700_000_000_000
const idOf = ({ being, generation, n }: Moment): MomentId => momentId(being, generation, n)

/** A batch over the current heads. */
export async function batchOf(db: Db, reality: Reality, wish: Wish): Promise<Batch> {
  const { moment = null, drafts = [], reads = [] } = wish
  const reels = new Set([...drafts.map((draft) => draft.reel), ...reads])
  if (moment !== null) reels.add(momentsReel(moment.being))
  return batchOver(new Map((await readHeads(db, reality.id, [...reels])).map((head) => [head.reel, head])), {
    ...wish,
    reality,
  })
}

/** A batch over heads that were read before. */
function batchOver(heads: ReadonlyMap<ReelId, SeenHead>, wish: Wish & { reality: Reality }): Batch {
  const { moment = null, drafts = [] } = wish
  return {
    reality: wish.reality.id,
    moment: moment === null ? null : { ...moment, id: idOf(moment) },
    heads,
    facts: buildFacts(heads, drafts, authorOf(moment)),
    rows: wish.rows ?? [],
    inbox: wish.inbox ?? [],
    changes: wish.changes ?? [],
    closes: wish.closes ?? [],
    outcome: moment === null ? null : outcomeOf(moment, wish.outcome),
  }
}

function authorOf(moment: Moment | null): Authorship {
  const by = { driver: null, cause: null, at: OPENED_AT, stack: null }
  if (moment === null) return { ...by, actor: '$reality', moment: null }
  return { ...by, actor: moment.being, moment: idOf(moment) }
}

const DIGEST = 'd'.repeat(64)

function outcomeOf(moment: Moment, wanted: Partial<OutcomeWrite> = {}): OutcomeWrite {
  const { being, n } = moment
  const outcome: Omit<OutcomeWrite, 'record'> = {
    n,
    kind: 'act',
    reason: null,
    detail: null,
    result: null,
    wake: `wake-of-${idOf(moment)}`,
    sealedAt: OPENED_AT + n,
    primaryRole: 'resident',
    ...wanted,
  }
  const role = outcome.primaryRole === null ? null : { name: outcome.primaryRole, digest: DIGEST }
  const record: MomentRecord = {
    v: 1,
    law: LAW,
    being,
    moment: idOf(moment),
    n: outcome.n,
    wake: outcome.wake,
    openedAt: OPENED_AT,
    sealedAt: outcome.sealedAt,
    open: DIGEST,
    stack: role === null ? null : { primary: role, stacked: [] },
    stackDigest: DIGEST,
    surfaceDigest: DIGEST,
    promptDigest: null,
    decision: DIGEST,
    outcome: outcome.kind,
    reason: outcome.reason,
    by: ['role:resident'],
    act: DIGEST,
    facts: [],
  }
  return { record, ...outcome }
}

/** A quality is set: a fact that changes state others may rely on. */
export const changed = (reel: ReelId, value: Json = 1): FactDraft => ({
  reel,
  kind: 'quality:set',
  payload: { path: ['mood', 'tone'], value },
})

/** Speech: a fact that changes no row and no authority. */
export const spoke = (reel: ReelId, content: Json = 'hello'): FactDraft => ({
  reel,
  kind: 'being:summoned',
  payload: { to: 'echo', content },
})

export const wakeFor = (being: BeingName, id: string, more: Partial<Wake> = {}): Wake =>
  newWake({
    id,
    being,
    kind: 'summon',
    priority: 3,
    caller: { name: 'asker', role: null, cognition: 'human' },
    content: `for ${being}`,
    ...more,
  })

/** Appends facts in one batch, with the rows that the world folds from them. */
export async function appendWithRows(
  db: Kysely<StoreDb>,
  reality: Reality,
  drafts: readonly FactDraft[],
  moment: Moment | null = null,
): Promise<void> {
  const batch = await batchOf(db, reality, { drafts, moment })
  const by = authorOf(moment)
  const keys = [...new Set(drafts.map(rowKeyOf).filter((key) => key !== null))]
  const before = new Map(
    (await readRows(db, reality.id, keys)).map(({ key, state }) => [key, state as Row | null]),
  )
  const rows = new Map<string, RowWrite>()
  for (const [i, draft] of drafts.entries()) {
    const key = rowKeyOf(draft)
    if (key === null) continue
    const row = evolve(before.get(key) ?? null, { ...draft, actor: by.actor, at: by.at })
    before.set(key, row)
    if (row === null) continue
    rows.set(key, {
      key,
      reel: draft.reel,
      state: asJson(row),
      foldedSeq: batch.facts[i]?.ref.seq ?? 0,
      ...indexOf(key, row),
    })
  }
  const done = await append(db, { ...batch, rows: [...rows.values()] })
  if (done.status !== 'appended') throw new Error(`append answered ${done.status}`)
}
