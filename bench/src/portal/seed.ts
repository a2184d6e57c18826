import { randomUUID } from 'node:crypto'
import { PRIORITIES, type Wake } from '@treeos/core'
import { bootstrapReality } from '@treeos/reality'
import {
  digestOf,
  encodeWake,
  type InboxTable,
  migrate,
  openDatabase,
  type Reality,
  type StoreDb,
} from '@treeos/store'
import { buildRegistry, OPERATOR, seed } from '@treeos/world'
import { type Insertable, type Kysely, sql } from 'kysely'
import { bear } from '../births.ts'

export interface Crowd {
  readonly beings: number
  readonly moments: number
  /** questions that wait for the operator */
  readonly entries: number
}

/** The being that has half of the moments. */
export const BUSY = 'b-0'

/**
 * A reality with many beings and a long record. Moments and facts are rows as they are read, made in a few
 * statements: to live them would take longer than the benchmark. Their hashes do not link, so they do not
 * verify.
 */
export async function seedCrowd(
  url: string,
  { beings, moments, entries }: Crowd,
): Promise<{ owner: Kysely<StoreDb>; reality: Reality }> {
  const owner = openDatabase(url, { asOwner: true, poolMax: 2 })
  await migrate(owner)
  const { reality } = await bootstrapReality(owner, buildRegistry([seed]), { name: 'crowd', timeZone: 'UTC' })
  const names = Array.from({ length: beings }, (_, i) => `b-${i}`)
  await bear(
    { db: owner, reality },
    names.map((name) => ({ name, cognition: { kind: 'scripted', script: 'echo' }, roleFlow: [] })),
  )
  const stack = { primary: { name: 'resident', digest: digestOf('resident') }, stacked: [] }
  const worn = JSON.stringify({ stack, stackDigest: digestOf(stack) })
  await sql`
    create table lived as
    select 'b-' || case when i % 2 = 0 then 0 else (i / 2) % ${beings}::int end as being, i,
      (extract(epoch from clock_timestamp()) * 1000)::bigint - (${moments} - i) * 20 as at
    from generate_series(1, ${moments}) i`.execute(owner)
  await sql`alter table lived add column n int`.execute(owner)
  await sql`
    update lived set n = k.n from (select i, row_number() over (partition by being order by i) n from lived) k
    where k.i = lived.i`.execute(owner)
  await sql`
    insert into treeos.moment_outcome (moment, being, n, kind, sealed_at, primary_role, prev, hash, record)
    select being || '/1/' || n, being, n, 'act', at, 'resident', ''::bytea, sha256(convert_to(being || n, 'UTF8')),
      convert_to((${worn}::jsonb || jsonb_build_object('v', 1, 'being', being, 'moment', being || '/1/' || n, 'n', n,
        'wake', null, 'openedAt', at, 'sealedAt', at, 'open', '', 'surfaceDigest', null, 'promptDigest', null,
        'decision', null, 'outcome', 'act', 'reason', null, 'by', '[]'::jsonb, 'act', null, 'facts', '[]'::jsonb))::text, 'UTF8')
    from lived`.execute(owner)
  await sql`
    insert into treeos.fact (reel, seq, kind, moment, hash, prev, payload_hash, header, salt, bytes)
    select 'being:' || being, n + 1, 'being:moved', being || '/1/' || n, sha256(convert_to('fact' || being || n, 'UTF8')),
      ''::bytea, ''::bytea,
      convert_to(jsonb_build_object('v', 1, 'reel', 'being:' || being, 'seq', n + 1, 'kind', 'being:moved', 'actor', being,
        'driver', null, 'moment', being || '/1/' || n, 'cause', null, 'at', at, 'payloadHash', '', 'stack', null,
        'code', 'treeos/1')::text, 'UTF8'), ''::bytea,
      convert_to(jsonb_build_object('to', '/', 'coord', jsonb_build_object('x', i % 50, 'y', i % 40, 'z', 0))::text, 'UTF8')
    from lived`.execute(owner)
  await sql`
    insert into treeos.journal (moment, reels, seqs)
    select being || '/1/' || n, array['being:' || being], array[(n + 1)::bigint] from lived order by i`.execute(
    owner,
  )
  await sql`drop table lived`.execute(owner)
  await askOperator(owner, entries)
  await sql`analyze`.execute(owner)
  return { owner, reality }
}

/** Each being asks one question, which begins a thread. */
async function askOperator(owner: Kysely<StoreDb>, entries: number): Promise<void> {
  const asked = Array.from({ length: entries }, (_, i): Wake => {
    const id = randomUUID()
    return {
      id,
      being: OPERATOR,
      kind: 'summon',
      priority: PRIORITIES.human,
      caller: { name: `b-${i}`, cognition: 'scripted', role: 'resident' },
      content: `Question ${1000 + i}: when does it open on feast days, and who has the key?`,
      root: id,
      inReplyTo: null,
      askedRole: null,
      hops: 0,
      continues: 0,
      cause: null,
    }
  })
  await owner
    .insertInto('inbox')
    .values(asked.map((wake) => encodeWake(wake) as unknown as Insertable<InboxTable>))
    .execute()
}
