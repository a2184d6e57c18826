import { SPEECH_KIND } from '@treeos/core'
import type { Db, Reality, StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { markCut, type RecordCut } from './cut.ts'

/** What the copy of a record holds. */
export interface CopiedRecord {
  readonly facts: number
  readonly moments: number
  /** wakes that wait in the copy */
  readonly waiting: number
}

/**
 * What is copied as it is, by table. What can be made again from it (heads, rows, watches, limits) is made
 * again. Sessions stay behind: leases, access tokens, vaults, calls under way, and the texts of overlays.
 */
const PARTS: readonly (readonly [table: string, of: string])[] = [
  [
    'fact',
    `select t.* from treeos.fact t left join later_fact l on l.reel = t.reel where l.seq is null or t.seq < l.seq`,
  ],
  ['blob', `select t.* from treeos.blob t`],
  ['journal', `select t.* from treeos.journal t where t.entry <= $entry`],
  ['moment_open', `select t.* from treeos.moment_open t join kept_moment using (moment)`],
  ['moment_decision', `select t.* from treeos.moment_decision t join kept_moment using (moment)`],
  ['moment_effect', `select t.* from treeos.moment_effect t join kept_moment using (moment)`],
  ['moment_fault', `select t.* from treeos.moment_fault t join kept_moment using (moment)`],
  ['moment_outcome', `select t.* from treeos.moment_outcome t join kept_moment using (moment)`],
  // A fork may read what the origin may of what it has: notes, and calls that waited for a yes.
  [
    'sealed_text',
    `select t.id, t.being, case when note.reel is null then 'approved/' || substr(call.reel, length('approval:') + 1) end as wake,
        t.at, t.key, t.words, t.vectors
      from treeos.sealed_text t
        left join treeos.fact note on note.reel = 'matter:' || t.id and note.seq = 1
          and not exists (select from later_fact l where l.reel = note.reel and l.seq <= 1)
        left join (
          select held[1] as id, min(f.reel) as reel from treeos.fact f
            left join later_fact l on l.reel = f.reel
            cross join lateral regexp_matches(encode(f.bytes, 'escape'), 'sealed:(note-[0-9a-f]{32}):', 'g') as held
          where f.kind in ('approval:asked', 'approval:given') and (l.seq is null or f.seq < l.seq) group by 1
        ) call on call.id = t.id
      where note.reel is not null or call.reel is not null`,
  ],
  [
    'file',
    `select t.* from treeos.file t join treeos.fact f on f.reel = 'matter:' || t.id and f.seq = 1
      where not exists (select from later_fact l where l.reel = f.reel and l.seq <= 1)`,
  ],
  // A life without a kept moment begins anew in the copy.
  [
    'life',
    `select t.* from treeos.life t where t.generation <= (
      select max(split_part(k.moment, '/', 2)::integer) from kept_moment k where k.being = t.being)`,
  ],
  // The wakes of kept moments, those that these answered, and those that kept facts caused, whether they were
  // claimed later or not.
  [
    'inbox',
    `select kept.* from treeos.inbox t cross join lateral jsonb_populate_record(t, jsonb_build_object('overlay', null,
      'claimed_by', (select k.moment from kept_moment k where k.moment = t.claimed_by),
      'closed_by', (select k.moment from kept_moment k where k.moment = t.closed_by),
      'closed_at', (select t.closed_at from kept_moment k where k.moment = t.closed_by))) as kept
    where exists (select from kept_moment k where k.wake = t.id)
      or exists (select from kept_moment k where k.moment = t.closed_by)
      or exists (
        select from treeos.fact f left join later_fact l on l.reel = f.reel
        where f.hash = t.cause and (l.seq is null or f.seq < l.seq))`,
  ],
]

/** Rows of one statement. A payload has up to 64 KiB. */
const PAGE = 200
/** A file has up to 32 MiB, and twice as much in hex. */
const FILE_PAGE = 4

/**
 * Copies the record of a reality up to a cut into an empty database, byte for byte. The copy keeps the id of
 * the origin, which is part of every genesis hash, so that the shared record has the same hashes in both; its
 * name is its own.
 * @param origin opened with `asOwner`; it is read in one snapshot
 * @param target migrated, without a reality, opened with `asOwner` as a superuser: triggers that keep the
 *   past would refuse a copy
 */
export async function copyRecord(
  origin: Kysely<StoreDb>,
  target: Kysely<StoreDb>,
  cut: RecordCut,
  reality: Reality,
): Promise<CopiedRecord> {
  return origin
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (from) => {
      await markCut(from, cut)
      return target.transaction().execute(async (to) => {
        await sql`set local session_replication_role = replica`.execute(to)
        await to
          .insertInto('reality')
          .values({ id: reality.id, name: reality.name, time_zone: reality.timeZone })
          .execute()
        for (const [table, of] of PARTS)
          await copyPart(from, to, table, of.replace('$entry', String(cut.entry)))
        await makeHeads(to)
        await sql`select setval('treeos.journal_entry_seq', ${cut.entry})`.execute(to)
        await sql`
          select setval(pg_get_serial_sequence('treeos.inbox', 'age'), greatest(1, (select max(age) from treeos.inbox)))`.execute(
          to,
        )
        return countCopied(to)
      })
    })
}

/** Through JSON texts, which hold every column as it is: bytes as hex, times to the microsecond. */
async function copyPart(from: Db, to: Db, table: string, of: string): Promise<void> {
  const cursor = sql.raw(`copied_${table}`)
  await sql`declare ${cursor} no scroll cursor for select to_jsonb(part)::text as line from (${sql.raw(of)}) part`.execute(
    from,
  )
  const target = sql.raw(`treeos.${table}`)
  const page = table === 'file' ? FILE_PAGE : PAGE
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.raw(String(page))} from ${cursor}`.execute(from)
    if (rows.length === 0) break
    await sql`
      insert into ${target} overriding system value
      select r.* from unnest(${rows.map(({ line }) => line)}::text[]) as given(line),
        jsonb_populate_record(null::${target}, given.line::jsonb) as r`.execute(to)
  }
  await sql`close ${cursor}`.execute(from)
}

/** The head of each chain, as appends would have left it. */
const makeHeads = (to: Db) =>
  sql`
    insert into treeos.head (reel, seq, hash, state_seq)
    select distinct on (f.reel) f.reel, f.seq, f.hash,
      coalesce((select max(s.seq) from treeos.fact s where s.reel = f.reel and s.kind <> ${SPEECH_KIND}), 0)
    from treeos.fact f order by f.reel, f.seq desc`
    .execute(to)
    .then(() =>
      sql`
        insert into treeos.head (reel, seq, hash, state_seq)
        select distinct on (o.being) 'moments:' || o.being, o.n, o.hash, 0
        from treeos.moment_outcome o order by o.being, o.n desc`.execute(to),
    )

async function countCopied(to: Db): Promise<CopiedRecord> {
  const { rows } = await sql<CopiedRecord>`
    select (select count(*) from treeos.fact) as facts, (select count(*) from treeos.moment_outcome) as moments,
      (select count(*) from treeos.inbox where closed_by is null) as waiting`.execute(to)
  return rows[0]!
}
