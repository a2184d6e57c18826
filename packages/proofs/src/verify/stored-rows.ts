import {
  canonicalJson,
  type Fact,
  type Json,
  type ReelId,
  type RowIndex,
  reelOfKey,
  type Watch,
} from '@treeos/core'
import {
  applyFact,
  type Db,
  decodeJson,
  ErasedFactError,
  type Erasures,
  type RowFold,
  type RowFolder,
} from '@treeos/store'
import { sql } from 'kysely'
import type { FactRow } from './read.ts'
import type { BrokenReason, ChainFault } from './verdict.ts'

const PAGE = 500

/**
 * Folds all facts once more, and compares what they yield with the rows, watches and limits that are stored.
 */
export class FoldedRows<Row> {
  readonly #fold: RowFolder<Row>
  readonly #erasures: Erasures
  readonly #rows = new Map<string, RowFold<Row>>()
  /** reels whose rows cannot be told: a payload is missing, or is not what the fold takes */
  readonly #untold = new Set<ReelId>()
  readonly #faults: ChainFault[] = []

  constructor(fold: RowFolder<Row>, erasures: Erasures) {
    this.#fold = fold
    this.#erasures = erasures
  }

  take(fact: FactRow): void {
    const { reel, seq, bytes } = fact
    const isErased = this.#erasures.ofFact(reel, seq) !== undefined
    if (bytes === null && !isErased) this.#faults.push({ reel, seq, reason: 'payload-missing' })
    if (this.#untold.has(reel)) return
    try {
      applyFact(this.#rows, factOf(fact), this.#fold, isErased)
    } catch (error) {
      // One that no row can be made of is a fault, unless the walk finds that it was changed.
      if (!(error instanceof ErasedFactError)) this.#faults.push({ reel, seq, reason: 'row-mismatch' })
      this.#untold.add(reel)
    }
  }

  /** Call after the last fact. */
  async compare(tx: Db): Promise<ChainFault[]> {
    const faults = [...this.#faults]
    const missing = new Map(this.#rows)
    for (let last = ''; ; ) {
      const page = await tx
        .selectFrom('projection')
        .selectAll()
        .where(sql<boolean>`key collate "C" > ${last}`)
        .orderBy(sql`key collate "C"`)
        .limit(PAGE)
        .execute()
      const beings = page.flatMap(({ key }) => (key.startsWith('being:') ? [key.slice('being:'.length)] : []))
      const tables = await readBeingTables(tx, beings)
      for (const row of page) {
        missing.delete(row.key)
        if (this.#untold.has(reelOfKey(row.key))) continue
        const folded = this.#rows.get(row.key)
        const reason = folded === undefined ? 'row-mismatch' : this.#judge(row.key, row, folded, tables)
        if (reason !== null)
          faults.push({
            reel: reelOfKey(row.key),
            seq: folded?.foldedSeq ?? row.folded_seq,
            reason,
            key: row.key,
          })
      }
      const end = page.at(-1)
      if (end === undefined || page.length < PAGE) break
      last = end.key
    }
    for (const [key, { foldedSeq }] of missing)
      if (!this.#untold.has(reelOfKey(key)))
        faults.push({ reel: reelOfKey(key), seq: foldedSeq, reason: 'row-mismatch', key })
    return faults
  }

  /** Facts that were moved from another reel may not fold to a row of that kind. */
  #judge(key: string, stored: StoredRow, folded: RowFold<Row>, tables: BeingTables): BrokenReason | null {
    try {
      return this.#faultOf(key, stored, folded, tables)
    } catch {
      return 'row-mismatch'
    }
  }

  #faultOf(
    key: string,
    stored: StoredRow,
    { state, foldedSeq }: RowFold<Row>,
    tables: BeingTables,
  ): BrokenReason | null {
    const { place, parent, cognition, watches, account, lease } = this.#fold.indexOf(key, state)
    const is =
      stored.reel === reelOfKey(key) &&
      stored.folded_seq === foldedSeq &&
      stored.place === place &&
      stored.parent === parent &&
      stored.cognition === cognition &&
      stored.state === canonicalJson(state)
    if (!is) return 'row-mismatch'
    if (!key.startsWith('being:')) return null
    const being = key.slice('being:'.length)
    if (watchesAsStored(watches) !== (tables.watches.get(being) ?? '[]')) return 'watch-mismatch'
    if (leaseAsStored(lease) !== (tables.leases.get(being) ?? null)) return 'lease-mismatch'
    return limitsAsStored(account) === (tables.limits.get(being) ?? NO_LIMITS) ? null : 'limit-mismatch'
  }
}

type StoredRow = {
  reel: string
  folded_seq: number
  state: string
  place: string | null
  parent: string | null
  cognition: string | null
}

function factOf({
  reel,
  seq,
  kind,
  header,
  bytes,
}: FactRow): Pick<Fact, 'payload'> & { header: Fact['header'] } {
  const { actor, at } = decodeJson<Fact['header']>(header)
  return {
    header: { reel, seq, kind, actor, at } as Fact['header'],
    payload: bytes === null ? null : decodeJson(bytes),
  }
}

/** What is stored beside the rows of these beings, as text. */
interface BeingTables {
  readonly watches: ReadonlyMap<string, string>
  readonly limits: ReadonlyMap<string, string>
  readonly leases: ReadonlyMap<string, string>
}

async function readBeingTables(tx: Db, beings: readonly string[]): Promise<BeingTables> {
  const isAsked = sql<boolean>`being = any(${[...beings]}::text[])`
  const [watches, accounts, parked, leases] = await Promise.all([
    tx.selectFrom('watch').selectAll().where(isAsked).execute(),
    tx.selectFrom('account').selectAll().where(isAsked).execute(),
    tx.selectFrom('parking').selectAll().where(isAsked).execute(),
    tx.selectFrom('lease').selectAll().where(isAsked).execute(),
  ])
  const parkedBy = new Map(parked.map((row) => [row.being, row]))
  const limits = new Map<string, string>()
  for (const { being, revision, moments_max, tokens_max, micros_max, per } of accounts) {
    const own = revision > 0 ? [revision, moments_max, tokens_max, micros_max, per] : null
    limits.set(being, canonicalJson([own, null]))
    const parking = parkedBy.get(being)
    if (parking !== undefined) limits.set(being, canonicalJson([own, parkingOf(parking)]))
  }
  for (const [being, parking] of parkedBy)
    if (!limits.has(being)) limits.set(being, canonicalJson([null, parkingOf(parking)]))
  return {
    watches: new Map(
      [...Map.groupBy(watches, ({ being }) => being)].map(([being, rows]) => [
        being,
        inOrder(
          rows.map(({ reel, path, name, equals, priority, coalesce_seconds }) => [
            ...[reel, path, name, (equals ?? null) as Json, priority, coalesce_seconds],
          ]),
        ),
      ]),
    ),
    limits,
    leases: new Map(
      leases.map(({ being, epoch, driver, under }) => [being, canonicalJson([epoch, driver, under])]),
    ),
  }
}

const parkingOf = ({ of, revision, until }: { of: string; revision: number; until: Date | null }): Json => [
  of,
  revision,
  until?.getTime() ?? null,
]

/** As `write_watches` stores them: the first of equal names counts. */
function watchesAsStored(watches: readonly Watch[]): string {
  const first = new Map<string, Json[]>()
  for (const { reel, path, subscription: s } of watches) {
    const key = canonicalJson([reel, path, s?.name ?? ''])
    if (!first.has(key))
      first.set(key, [
        ...[reel, path, s?.name ?? '', (s?.equals ?? null) as Json],
        ...[s?.priority ?? null, s?.coalesceSeconds ?? 0],
      ])
  }
  return inOrder([...first.values()])
}

const inOrder = (rows: readonly Json[]): string =>
  `[${rows
    .map((row) => canonicalJson(row))
    .sort()
    .join()}]`

/** As `write_accounts` stores them. */
function limitsAsStored(account: RowIndex['account']): string {
  if (account === null) return NO_LIMITS
  const { revision, momentsPerMinute, tokens, micros, per, parked } = account
  const own = revision > 0 ? [revision, momentsPerMinute, tokens, micros, per] : null
  return canonicalJson([own, parked === null ? null : [parked.of, parked.revision, parked.until]])
}

/** As `write_leases` stores it, until when apart: a renewal writes no fact. */
const leaseAsStored = (lease: RowIndex['lease']): string | null =>
  lease === null || lease.driver === null ? null : canonicalJson([lease.epoch, lease.driver, lease.under])

const NO_LIMITS = canonicalJson([null, null])
