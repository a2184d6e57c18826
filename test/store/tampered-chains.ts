import { createHash } from 'node:crypto'
import { canonicalJson } from '@treeos/core'
import { append, beginLife, type Reality, type StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import type { TestDatabase } from '../support/database.ts'
import { batchOf, changed, spoke } from './batch.ts'

const TABLES = ['head', 'fact', 'moment_outcome'] as const

/** Two beings with three moments each. Each reel has four facts: the third is speech, the last is erased. */
export async function appendChains(
  db: Kysely<StoreDb>,
  owner: Kysely<StoreDb>,
  reality: Reality,
): Promise<void> {
  for (const being of ['ada', 'bob']) {
    const reel = `being:${being}`
    await append(db, await batchOf(db, reality, { drafts: [changed(reel, 'born')] }))
    await beginLife(db, reality.id, being, 'run-1')
    for (const n of [1, 2, 3]) {
      const draft = n === 2 ? spoke(reel, { said: n }) : changed(reel, { set: n })
      const outcome = { reason: n === 3 ? 'FORBIDDEN' : null }
      await append(
        db,
        await batchOf(db, reality, { moment: { being, generation: 1, n }, drafts: [draft], outcome }),
      )
    }
    await tamper(
      { owner },
      `update treeos.fact set salt = null, bytes = null where reel = '${reel}' and seq = 4`,
    )
  }
  for (const table of TABLES) {
    await sql.raw(`create table public.kept_${table} as select * from treeos.${table}`).execute(owner)
  }
}

/** Runs statements as the owner of the server can, without triggers and foreign keys. */
export async function tamper(
  base: Pick<TestDatabase, 'owner'>,
  ...statements: readonly string[]
): Promise<void> {
  await base.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    for (const statement of statements) await sql.raw(statement).execute(tx)
  })
}

/** Restores all tables as `appendChains` left them. */
export function restore(base: TestDatabase): Promise<void> {
  return tamper(
    base,
    ...TABLES.flatMap((table) => [
      `delete from treeos.${table}`,
      `insert into treeos.${table} select * from public.kept_${table}`,
    ]),
  )
}

const sha256 = (...parts: readonly (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

/**
 * Rewrites a reel from one fact on, with matching hashes and head, as the owner of the database can.
 * @param forge makes the new header bytes of that fact from the old ones
 */
export async function rewriteSuffix(
  base: TestDatabase,
  reel: string,
  from: number,
  forge: (header: string) => string,
): Promise<void> {
  const facts = await base.owner
    .selectFrom('fact')
    .selectAll()
    .where('reel', '=', reel)
    .where('seq', '>=', from)
    .orderBy('seq')
    .execute()
  let prev = facts[0]!.prev
  const statements: string[] = []
  for (const { seq, header: old } of facts) {
    const header = seq === from ? Buffer.from(forge(old.toString('utf8')), 'utf8') : old
    const hash = sha256('treeos.fact.v1\0', prev, header)
    const set = { header, prev, hash }
    statements.push(
      `update treeos.fact set ${Object.entries(set)
        .map(([column, bytes]) => `${column} = '\\x${bytes.toString('hex')}'`)
        .join(', ')} where reel = '${reel}' and seq = ${seq}`,
    )
    prev = hash
  }
  await tamper(
    base,
    ...statements,
    `update treeos.head set hash = '\\x${prev.toString('hex')}' where reel = '${reel}'`,
  )
}

/** Rewrites the last record of a being, its columns that are named, and its open record, with matching hashes and head. */
export async function rewriteLastRecord(
  base: Pick<TestDatabase, 'owner'>,
  being: string,
  change: { readonly moment?: string; readonly wake?: string },
): Promise<void> {
  const last = await base.owner
    .selectFrom('moment_outcome')
    .selectAll()
    .where('being', '=', being)
    .orderBy('n', 'desc')
    .executeTakeFirstOrThrow()
  const record = Buffer.from(canonicalJson({ ...JSON.parse(last.record.toString()), ...change }))
  const hash = sha256('treeos.moment.v1\0', last.prev, record)
  const set = Object.entries(change).map(([column, value]) => `, ${column} = '${value}'`)
  await tamper(
    base,
    `update treeos.moment_outcome set record = '\\x${record.toString('hex')}', hash = '\\x${hash.toString('hex')}' ${set.join('')}
      where being = '${being}' and n = ${last.n}`,
    `update treeos.head set hash = '\\x${hash.toString('hex')}' where reel = 'moments:${being}'`,
  )
}

/**
 * Cuts off all that was appended since the end of a moment, with heads that match what is left, as a restored
 * backup would. Rows stay: refold them.
 */
export async function cutOff(base: Pick<TestDatabase, 'owner'>, since: string): Promise<void> {
  const gone = `(select j.entry, j.moment, f.reel, f.seq from treeos.journal j
    left join lateral unnest(j.reels, j.seqs) as f(reel, seq) on true
    where j.entry >= (select entry from treeos.journal where moment = '${since}'))`
  await tamper(
    base,
    `create table public.gone as select * from ${gone} g`,
    `delete from treeos.fact t using public.gone g where t.reel = g.reel and t.seq = g.seq`,
    `delete from treeos.head h where exists (select from public.gone g where g.reel = h.reel)
      and not exists (select from treeos.fact f where f.reel = h.reel)`,
    `update treeos.head h set seq = f.seq, hash = f.hash,
      state_seq = coalesce((select max(c.seq) from treeos.fact c where c.reel = h.reel and c.kind <> 'being:summoned'), 0)
      from treeos.fact f where f.reel = h.reel and f.seq = (select max(l.seq) from treeos.fact l where l.reel = h.reel)`,
    ...['moment_open', 'moment_decision', 'moment_outcome'].map(
      (table) => `delete from treeos.${table} t using public.gone g where t.moment = g.moment`,
    ),
    `delete from treeos.head h where reel like 'moments:%'
      and not exists (select from treeos.moment_outcome o where 'moments:' || o.being = h.reel) and seq > 0`,
    `update treeos.head h set seq = o.n, hash = o.hash from treeos.moment_outcome o
      where h.reel = 'moments:' || o.being and o.n = (select max(n) from treeos.moment_outcome l where l.being = o.being)`,
    `delete from treeos.journal j using public.gone g where j.entry = g.entry`,
    `delete from treeos.inbox i where i.kind = 'summon' and i.cause is not null
      and not exists (select from treeos.fact f where f.hash = i.cause)`,
    `drop table public.gone`,
  )
}
