import {
  brandError,
  canonicalJson,
  type Fact,
  type FactDraft,
  type ReelId,
  type RowIndex,
  reelOfKey,
} from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import { listFactsAfter, listReels } from '../ledger/facts.ts'
import type { Db } from '../sql/database.ts'
import type { StoreDb } from '../sql/schema.ts'
import { readErasures } from './erasures.ts'

/**
 * How the world turns facts into rows. All of it is pure, so the same reel gives the same rows everywhere.
 */
export interface RowFolder<Row> {
  /** key of the row that a fact changes; null for a fact that changes no row */
  rowKeyOf(fact: FactDraft): string | null
  evolve(row: Row | null, change: FactDraft & { readonly actor: string; readonly at: number }): Row | null
  indexOf(key: string, row: Row): RowIndex
}

export interface RowFold<Row> {
  readonly state: Row
  /** seq of the last fact that changed this row */
  readonly foldedSeq: number
}

export interface FoldedRow<Row> extends RowFold<Row> {
  readonly key: string
}

/**
 * The payload of a fact that changed a row is missing, and no tombstone says that it was erased: the row
 * cannot be folded.
 */
export class ErasedFactError extends Error {
  override readonly name = 'ErasedFactError'
  readonly reel: ReelId
  readonly seq: number

  static {
    brandError(ErasedFactError, 'ErasedFactError')
  }

  constructor(reel: ReelId, seq: number) {
    super(
      `the payload of fact ${reel}#${seq} is missing, and no fact says that it was erased: its row cannot be folded`,
    )
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
  fold: Pick<RowFolder<Row>, 'rowKeyOf' | 'evolve'>,
  until: number = Number.POSITIVE_INFINITY,
): Promise<Map<string, RowFold<Row>>> {
  const rows = new Map<string, RowFold<Row>>()
  const erased = await readErasures(db, reel)
  for (let seq = 0; seq < until; ) {
    const facts = await listFactsAfter(db, reel, seq, Math.min(BATCH_LENGTH, until - seq))
    for (const fact of facts) applyFact(rows, fact, fold, erased.ofFact(reel, fact.header.seq) !== undefined)
    const last = facts.at(-1)
    if (last === undefined) break
    seq = last.header.seq
  }
  return rows
}

/**
 * Folds one fact into the rows of its reel. One that was erased changes nothing: the rows were the same
 * without it then.
 * @throws {ErasedFactError}
 */
export function applyFact<Row>(
  rows: Map<string, RowFold<Row>>,
  { header, payload }: Pick<Fact, 'header' | 'payload'>,
  fold: Pick<RowFolder<Row>, 'rowKeyOf' | 'evolve'>,
  isErased = false,
): void {
  const { reel, kind, actor, at, seq } = header
  const key = fold.rowKeyOf({ reel, kind, payload: payload ?? {} })
  if (key === null) return
  if (payload === null && isErased) return
  if (payload === null) throw new ErasedFactError(reel, seq)
  const state = fold.evolve(rows.get(key)?.state ?? null, { reel, kind, payload, actor, at })
  if (state !== null) rows.set(key, { state, foldedSeq: seq })
}

/**
 * Writes one row of the projection again from its reel, or deletes it when the reel yields no such row.
 * Appends to the reel wait meanwhile.
 * @param owner opened with `asOwner`, because workers write rows only through append
 * @returns null when the reel yields no such row
 */
export function rebuildRow<Row>(
  owner: Kysely<StoreDb>,
  key: string,
  fold: RowFolder<Row>,
): Promise<FoldedRow<Row> | null> {
  const reel = reelOfKey(key)
  return owner.transaction().execute(async (tx) => {
    await lockHead(tx, reel)
    const folded = (await refold(tx, reel, fold)).get(key)
    await writeRow(tx, key, folded, fold)
    return folded === undefined ? null : { key, ...folded }
  })
}

/** What {@link refoldAll} did. */
export interface RefoldReport {
  /** rows that the reels yield */
  readonly rows: number
  /**
   * keys of rows that were not as their reel yields them, deleted and invented ones included; now they are
   */
  readonly changed: readonly string[]
  /** facts that have neither payload nor tombstone; the rows of their reels were not changed */
  readonly erased: readonly { readonly reel: ReelId; readonly seq: number }[]
}

/**
 * Makes every row of the projection again from its reel, with the watches and limits that are kept beside it.
 * Deletes rows that no reel yields. One transaction a reel, so appends to the other reels go on.
 * @param owner opened with `asOwner`
 */
export async function refoldAll<Row>(owner: Kysely<StoreDb>, fold: RowFolder<Row>): Promise<RefoldReport> {
  const keysOf = new Map<ReelId, string[]>((await listReels(owner)).map((reel) => [reel, []]))
  for (const { key } of await owner.selectFrom('projection').select('key').orderBy('key').execute())
    keysOf.set(reelOfKey(key), [...(keysOf.get(reelOfKey(key)) ?? []), key])
  const changed: string[] = []
  const erased: { reel: ReelId; seq: number }[] = []
  let rows = 0
  for (const [reel, stored] of keysOf) {
    try {
      const made = await rebuildReel(owner, reel, stored, fold)
      rows += made.rows
      changed.push(...made.changed)
    } catch (error) {
      if (!(error instanceof ErasedFactError)) throw error
      erased.push({ reel: error.reel, seq: error.seq })
    }
  }
  return { rows, changed: changed.sort(), erased }
}

/** @param stored keys of the rows that the projection has of this reel */
function rebuildReel<Row>(
  owner: Kysely<StoreDb>,
  reel: ReelId,
  stored: readonly string[],
  fold: RowFolder<Row>,
): Promise<{ rows: number; changed: string[] }> {
  return owner.transaction().execute(async (tx) => {
    await lockHead(tx, reel)
    const folded = await refold(tx, reel, fold)
    const keys = [...new Set([...folded.keys(), ...stored])]
    const before = await storedAs(tx, keys)
    for (const key of keys) await writeRow(tx, key, folded.get(key), fold)
    const after = await storedAs(tx, keys)
    return { rows: folded.size, changed: keys.filter((key) => before.get(key) !== after.get(key)) }
  })
}

const lockHead = (tx: Db, reel: ReelId) =>
  tx.selectFrom('head').select('seq').where('reel', '=', reel).forUpdate().execute()

/** Writes a row with its watches and limits, or deletes it. */
async function writeRow<Row>(
  tx: Db,
  key: string,
  folded: RowFold<Row> | undefined,
  fold: RowFolder<Row>,
): Promise<void> {
  // A lease is a session, so a rebuilt row brings none back.
  const {
    watches,
    account,
    lease: _lease,
    ...index
  } = folded === undefined ? NOTHING : fold.indexOf(key, folded.state)
  if (key.startsWith('being:')) {
    await sql`select treeos.write_watches(${JSON.stringify([{ key, watches }])}::jsonb)`.execute(tx)
    await sql`select treeos.write_accounts(${JSON.stringify([{ key, account }])}::jsonb)`.execute(tx)
  }
  if (folded === undefined) {
    await tx.deleteFrom('projection').where('key', '=', key).execute()
    return
  }
  const state = canonicalJson(folded.state)
  const row = { reel: reelOfKey(key), state, folded_seq: folded.foldedSeq, ...index }
  await tx
    .insertInto('projection')
    .values({ key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute()
}

const NOTHING = { watches: [], account: null, lease: null }

/** Rows as text, with all that {@link writeRow} writes. */
async function storedAs(tx: Db, keys: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ key: string; stored: string }>`
    select key, jsonb_build_array(
      (select to_jsonb(p) from treeos.projection p where p.key = wanted.key),
      (select jsonb_agg(to_jsonb(w) order by w.reel, w.path, w.name) from treeos.watch w
        where wanted.key like 'being:%' and w.being = substr(wanted.key, 7)),
      (select jsonb_build_array(a.revision, a.moments_max, a.tokens_max, a.micros_max, a.per) from treeos.account a
        where wanted.key like 'being:%' and a.being = substr(wanted.key, 7)),
      (select to_jsonb(k) from treeos.parking k where wanted.key like 'being:%' and k.being = substr(wanted.key, 7))
    )::text stored
    from unnest(${[...keys]}::text[]) as wanted(key)`.execute(tx)
  return new Map(rows.map(({ key, stored }) => [key, stored]))
}
