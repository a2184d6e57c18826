import {
  canonicalJson,
  FACT_ERASED,
  type Fact,
  type FactDraft,
  HOLD_LIFTED,
  HOLD_SET,
  MOMENT_ERASED,
  type MomentId,
  type ReelId,
  SPEECH_KIND,
} from '@treeos/core'
import { sql } from 'kysely'
import { listFactsAfter } from '../ledger/facts.ts'
import type { Db } from '../sql/database.ts'
import { readErasures } from './erasures.ts'
import { applyFact, type RowFold, type RowFolder } from './refold.ts'

/**
 * Kinds that last: who and what exists and where it went, what roles were, and tombstones. The SQL function
 * `erase_fact` has the same list.
 */
const LASTING: ReadonlySet<string> = new Set([
  ...[
    FACT_ERASED,
    MOMENT_ERASED,
    HOLD_SET,
    HOLD_LIFTED,
    'reality:made',
    'reality:restored',
    'role:set',
    'role:deleted',
    'registry:installed',
    'registry:used',
  ],
  ...[
    'being:born',
    'being:bore',
    'being:moved',
    'space:created',
    'space:opened',
    'space:entered',
    'space:left',
  ],
  ...['place:received', 'place:gave'],
])

/** Whether facts of a kind can never be erased. */
export const isLasting = (kind: string): boolean => LASTING.has(kind)

const PAGE = 500

/**
 * Why what a tombstone names cannot be erased. A fact can be erased once the rows of its reel are the same
 * without it: then they can be folded and verified as before.
 * @returns null when it can, and for any other fact
 */
export async function whyNotErasable<Row>(
  db: Db,
  { reel, kind, payload }: FactDraft,
  fold: Pick<RowFolder<Row>, 'rowKeyOf' | 'evolve'>,
): Promise<string | null> {
  if (kind === MOMENT_ERASED) return whyMomentStays(db, reel, String(payload.moment))
  return kind === FACT_ERASED
    ? whyFactStays(db, reel, { ...payload } as unknown as ErasureTarget, fold)
    : null
}

interface ErasureTarget {
  readonly seq: number
  readonly hash: string
}

async function whyFactStays<Row>(
  db: Db,
  reel: ReelId,
  { seq, hash }: ErasureTarget,
  fold: Pick<RowFolder<Row>, 'rowKeyOf' | 'evolve'>,
): Promise<string | null> {
  const facts = await allFacts(db, reel)
  const fact = facts[seq - 1]
  if (fact === undefined || fact.hash !== hash) return `reel ${reel} has no fact ${seq} with the hash ${hash}`
  if (fact.payload === null) return `fact ${seq} of ${reel} has no payload: it was erased before`
  const { kind } = fact.header
  const hold = await holdOver(db, reel, seq, null)
  if (hold !== null) return `fact ${seq} of ${reel} is under the hold ${hold}`
  if (isLasting(kind)) return `fact ${seq} of ${reel} lasts: it is a ${kind}`
  if (kind === SPEECH_KIND && (await isUnderWay(db, String(fact.payload.root))))
    return 'a moment of its thread is under way: erase it when that is over'
  const erased = await readErasures(db, reel)
  const folded = (without: number | null) => {
    const rows = new Map<string, RowFold<Row>>()
    for (const each of facts) {
      const isGone = each.header.seq === without
      const isErased = isGone || erased.ofFact(reel, each.header.seq) !== undefined
      applyFact(rows, isGone ? { ...each, payload: null } : each, fold, isErased)
    }
    return rows
  }
  const without = folded(seq)
  for (const [key, row] of folded(null))
    if (canonicalJson(row) !== canonicalJson(without.get(key) ?? null))
      return `the row ${key} rests on fact ${seq}: change what it says, or end it, and erase it then`
  return null
}

async function allFacts(db: Db, reel: ReelId): Promise<Fact[]> {
  const facts: Fact[] = []
  for (let page: Fact[]; ; ) {
    page = await listFactsAfter(db, reel, facts.length, PAGE)
    facts.push(...page)
    if (page.length < PAGE) return facts
  }
}

async function isUnderWay(db: Db, root: string): Promise<boolean> {
  const { rows } = await sql<{ isUnderWay: boolean }>`
    select exists (select from treeos.inbox
      where root = ${root} and claimed_by is not null and closed_by is null) as "isUnderWay"`.execute(db)
  return rows[0]?.isUnderWay === true
}

/** The legal hold that a fact or a moment is under, as the SQL function `hold_over` tells it. */
async function holdOver(
  db: Db,
  reel: ReelId,
  seq: number | null,
  moment: MomentId | null,
): Promise<string | null> {
  const { rows } = await sql<{ hold: string | null }>`
    select treeos.hold_over(${reel}, ${seq}::bigint, ${moment}::text) as hold`.execute(db)
  return rows[0]?.hold ?? null
}

async function whyMomentStays(db: Db, reel: ReelId, moment: MomentId): Promise<string | null> {
  const row = await db
    .selectFrom('moment_outcome')
    .leftJoin('moment_decision', 'moment_decision.moment', 'moment_outcome.moment')
    .leftJoin('moment_effect', 'moment_effect.moment', 'moment_outcome.moment')
    .select(['moment_decision.kind', 'moment_effect.operation'])
    .where('moment_outcome.moment', '=', moment)
    .executeTakeFirst()
  if (row === undefined) return `there is no finished moment ${moment}`
  const hold = await holdOver(db, reel, null, moment)
  if (hold !== null) return `moment ${moment} is under the hold ${hold}`
  return row.kind === null && row.operation === null
    ? `moment ${moment} keeps no decision and no effect: it was erased before, or decided nothing`
    : null
}
