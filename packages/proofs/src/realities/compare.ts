import { type BeingName, type Digest, momentsReel, type ReelId } from '@treeos/core'
import { type Db, listOutcomes, type StoreDb, type StoredOutcome } from '@treeos/store'
import { type Kysely, sql } from 'kysely'

/** Where two realities differ. A side is null where that reality has nothing. */
export type RealityDifference =
  | {
      readonly what: 'reel'
      readonly reel: ReelId
      /** of the first fact that differs */
      readonly seq: number
      readonly a: Digest | null
      readonly b: Digest | null
    }
  | { readonly what: 'row'; readonly key: string; readonly a: Digest | null; readonly b: Digest | null }
  | {
      readonly what: 'moment'
      readonly being: BeingName
      readonly n: number
      readonly differs: readonly (keyof MomentSide)[]
      readonly a: MomentSide | null
      readonly b: MomentSide | null
    }

/** What is compared of a moment: digests, and words of its outcome. */
export interface MomentSide {
  readonly stack: Digest | null
  readonly prompt: Digest | null
  /** of what its mind answered, without the salt of the recorded digest */
  readonly decision: Digest | null
  readonly outcome: string
  readonly reason: string | null
}

/**
 * The differences of two realities: of each reel the first fact that differs, then rows, then moments by
 * being and number. Equal hashes at one place of a chain make all before it equal, so that only what differs
 * is read.
 */
export async function* compareRealities(
  a: Kysely<StoreDb>,
  b: Kysely<StoreDb>,
): AsyncGenerator<RealityDifference, void> {
  const sides = [a, b] as const
  const heads = await Promise.all(sides.map(headsOf))
  const names = [...new Set(heads.flatMap((of) => [...of.keys()]))].sort()
  const differing = names.filter((name) => heads[0]!.get(name)?.hash !== heads[1]!.get(name)?.hash)
  const most = (name: string) => Math.max(...heads.map((of) => of.get(name)?.seq ?? 0))
  for (const reel of differing.filter((name) => !name.startsWith(MOMENTS))) {
    const seq = await firstDifference(sides, most(reel), (db, at) => factAt(db, reel, at))
    const [inA, inB] = await Promise.all(sides.map((db) => factAt(db, reel, seq)))
    yield { what: 'reel', reel, seq, a: inA ?? null, b: inB ?? null }
  }
  yield* compareRows(a, b)
  for (const reel of differing.filter((name) => name.startsWith(MOMENTS))) {
    const being = reel.slice(MOMENTS.length)
    const n = await firstDifference(sides, most(reel), (db, at) => recordAt(db, being, at))
    yield* compareMoments(a, b, being, n)
  }
}

const MOMENTS = momentsReel('')

async function headsOf(db: Db): Promise<Map<string, { seq: number; hash: string }>> {
  const rows = await db.selectFrom('head').select(['reel', 'seq', 'hash']).where('seq', '>', 0).execute()
  return new Map(rows.map(({ reel, seq, hash }) => [reel, { seq, hash: hash.toString('hex') }]))
}

/** By halves: the hash of a link covers all before it. */
async function firstDifference(
  [a, b]: readonly [Kysely<StoreDb>, Kysely<StoreDb>],
  most: number,
  hashAt: (db: Db, at: number) => Promise<Digest | undefined>,
): Promise<number> {
  let low = 1
  let high = most
  while (low < high) {
    const middle = (low + high) >> 1
    const [inA, inB] = await Promise.all([hashAt(a, middle), hashAt(b, middle)])
    if (inA !== undefined && inA === inB) low = middle + 1
    else high = middle
  }
  return low
}

async function factAt(db: Db, reel: ReelId, seq: number): Promise<Digest | undefined> {
  const row = await db
    .selectFrom('fact')
    .select('hash')
    .where('reel', '=', reel)
    .where('seq', '=', seq)
    .executeTakeFirst()
  return row?.hash.toString('hex')
}

async function recordAt(db: Db, being: BeingName, n: number): Promise<Digest | undefined> {
  const row = await db
    .selectFrom('moment_outcome')
    .select('hash')
    .where('being', '=', being)
    .where('n', '=', n)
    .executeTakeFirst()
  return row?.hash.toString('hex')
}

const PAGE = 500

interface RowDigest {
  readonly key: string
  readonly digest: Digest
}

/** Rows by key, in the order of their bytes. */
async function* rowsOf(db: Db): AsyncGenerator<RowDigest> {
  for (let last = ''; ; ) {
    const { rows } = await sql<RowDigest>`
      select key, encode(sha256(convert_to(state, 'UTF8')), 'hex') as digest
      from treeos.projection where key collate "C" > ${last} order by key collate "C" limit ${PAGE}`.execute(
      db,
    )
    yield* rows
    const end = rows.at(-1)
    if (end === undefined || rows.length < PAGE) return
    last = end.key
  }
}

/** Both are in the order of their bytes, so one walk finds what only one has. */
async function* compareRows(a: Db, b: Db): AsyncGenerator<RealityDifference> {
  const [inA, inB] = [rowsOf(a), rowsOf(b)]
  let [left, right] = [await inA.next(), await inB.next()]
  while (left.done !== true || right.done !== true) {
    const order =
      left.done === true ? 1 : right.done === true ? -1 : compareBytes(left.value.key, right.value.key)
    const [mine, other] = [order <= 0 ? left.value : null, order >= 0 ? right.value : null] as [
      RowDigest | null,
      RowDigest | null,
    ]
    if (mine?.digest !== other?.digest)
      yield {
        what: 'row',
        key: (mine ?? other)!.key,
        a: mine?.digest ?? null,
        b: other?.digest ?? null,
      }
    if (order <= 0) left = await inA.next()
    if (order >= 0) right = await inB.next()
  }
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

async function* compareMoments(
  a: Db,
  b: Db,
  being: BeingName,
  first: number,
): AsyncGenerator<RealityDifference> {
  for (let from = first; ; from += PAGE) {
    const [inA, inB] = await Promise.all([momentsFrom(a, being, from), momentsFrom(b, being, from)])
    const last = Math.max(...[...inA.keys(), ...inB.keys()], 0)
    for (let n = from; n <= last; n++) {
      const [mine, other] = [inA.get(n) ?? null, inB.get(n) ?? null]
      const differs = FIELDS.filter((field) => mine?.[field] !== other?.[field])
      if (differs.length > 0) yield { what: 'moment', being, n, differs, a: mine, b: other }
    }
    if (last < from + PAGE - 1) return
  }
}

const FIELDS = ['stack', 'prompt', 'decision', 'outcome', 'reason'] as const

/** One page of moments, by number. */
async function momentsFrom(db: Db, being: BeingName, from: number): Promise<Map<number, MomentSide>> {
  const outcomes = (await listOutcomes(db, being, PAGE, from + PAGE)).filter(({ n }) => n >= from)
  const decisions = await decisionsOf(db, outcomes)
  return new Map(
    outcomes.map(({ n, moment, kind, reason, record }) => [
      n,
      {
        stack: record.stackDigest,
        prompt: record.promptDigest,
        decision: decisions.get(moment) ?? null,
        outcome: kind,
        reason,
      },
    ]),
  )
}

async function decisionsOf(db: Db, outcomes: readonly StoredOutcome[]): Promise<Map<string, Digest>> {
  const { rows } = await sql<{ moment: string; digest: Digest }>`
    select moment, encode(sha256(bytes), 'hex') as digest from treeos.moment_decision
    where moment = any(${outcomes.map(({ moment }) => moment)}::text[])`.execute(db)
  return new Map(rows.map(({ moment, digest }) => [moment, digest]))
}
