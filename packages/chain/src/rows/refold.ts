import { canonicalJson, type Fact, type FactDraft, type ReelId, type RowIndex, reelOfKey } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import { listFactsAfter } from '../ledger/facts.ts'
import type { Db } from '../sql/database.ts'
import type { ChainDb } from '../sql/schema.ts'

/** How the world turns facts into rows. All of it is pure, so the same reel gives the same rows everywhere. */
export interface Fold<Row> {
  /** key of the row that a fact changes; null for a fact that changes no row */
  rowKeyOf(fact: FactDraft): string | null
  evolve(row: Row | null, change: FactDraft & { readonly actor: string; readonly at: number }): Row | null
  indexOf(key: string, row: Row): RowIndex
}

export interface Folded<Row> {
  readonly state: Row
  /** seq of the last fact that changed this row */
  readonly foldedSeq: number
}

export interface FoldedRow<Row> extends Folded<Row> {
  readonly key: string
}

/** The payload of a fact that changed a row was erased, so the row cannot be folded from the reel. */
export class ErasedFactError extends Error {
  override readonly name = 'ErasedFactError'
  readonly reel: ReelId
  readonly seq: number

  constructor(reel: ReelId, seq: number) {
    super(`the payload of fact ${reel}#${seq} was erased, so its row cannot be folded`)
    this.reel = reel
    this.seq = seq
  }
}

const BATCH_LENGTH = 500

/**
 * Folds a reel from its first fact.
 * @param until seq of the last fact to fold; all facts when left out
 * @returns the rows by key
 * @throws {ErasedFactError}
 */
export async function refold<Row>(
  db: Db,
  reel: ReelId,
  fold: Pick<Fold<Row>, 'rowKeyOf' | 'evolve'>,
  until: number = Number.POSITIVE_INFINITY,
): Promise<Map<string, Folded<Row>>> {
  const rows = new Map<string, Folded<Row>>()
  for (let seq = 0; seq < until; ) {
    const facts = await listFactsAfter(db, reel, seq, Math.min(BATCH_LENGTH, until - seq))
    for (const fact of facts) apply(rows, fact, fold)
    const last = facts.at(-1)
    if (last === undefined) break
    seq = last.header.seq
  }
  return rows
}

function apply<Row>(
  rows: Map<string, Folded<Row>>,
  { header, payload }: Fact,
  fold: Pick<Fold<Row>, 'rowKeyOf' | 'evolve'>,
): void {
  const { reel, kind, actor, at, seq } = header
  const key = fold.rowKeyOf({ reel, kind, payload: payload ?? {} })
  if (key === null) return
  if (payload === null) throw new ErasedFactError(reel, seq)
  const state = fold.evolve(rows.get(key)?.state ?? null, { reel, kind, payload, actor, at })
  if (state !== null) rows.set(key, { state, foldedSeq: seq })
}

/**
 * Writes one row of the projection again from its reel, or deletes it when the reel yields no such row. Appends to the reel
 * wait meanwhile.
 * @param owner opened with `asOwner`, because workers write rows only through append
 * @returns null when the reel yields no such row
 */
export function rebuildRow<Row>(
  owner: Kysely<ChainDb>,
  key: string,
  fold: Fold<Row>,
): Promise<FoldedRow<Row> | null> {
  const reel = reelOfKey(key)
  return owner.transaction().execute(async (tx) => {
    await tx.selectFrom('head').select('seq').where('reel', '=', reel).forUpdate().execute()
    const folded = (await refold(tx, reel, fold)).get(key)
    if (folded === undefined) {
      await tx.deleteFrom('projection').where('key', '=', key).execute()
      return null
    }
    // A lease is a session, so a rebuilt row brings none back.
    const { watches, account, lease: _lease, ...index } = fold.indexOf(key, folded.state)
    const row = { reel, state: canonicalJson(folded.state), folded_seq: folded.foldedSeq, ...index }
    await sql`select treeos.keep_watches(${JSON.stringify([{ key, watches }])}::jsonb)`.execute(tx)
    await sql`select treeos.keep_accounts(${JSON.stringify([{ key, account }])}::jsonb)`.execute(tx)
    await tx
      .insertInto('projection')
      .values({ key, ...row })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
      .execute()
    return { key, ...folded }
  })
}
