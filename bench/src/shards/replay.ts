import pg from 'pg'
import { round } from '../statistics.ts'
import type { RecordedAppend } from './recorded.ts'
import { type Placement, placing, type Reach, reachOf } from './simulate.ts'

/** Bytes that each reel of an append grows by here. */
const GROWN_BYTES = 1000
const CLIENTS = 8

/**
 * A reel, and one fact of a fixed size: an append without anything but its locks, its checks and its rows.
 */
const SHARD = `
  create table head (reel text primary key, seq bigint not null);
  create table fact (reel text, seq bigint, bytes bytea not null, primary key (reel, seq));
  create function reach(written text[], checked text[]) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
  declare
    its_reel text;
    its_seq bigint;
  begin
    for its_reel in select r from unnest(written || checked) r order by r collate "C" loop
      if its_reel = any(written) then
        update head set seq = seq + 1 where reel = its_reel returning seq into its_seq;
        insert into fact values (its_reel, its_seq, decode(repeat('5a', ${GROWN_BYTES}), 'hex'));
      else
        perform 1 from head where reel = its_reel for share;
      end if;
    end loop;
  end $$`

/**
 * What appends cost when their reels lie on several databases of one server. So nothing is gained here: it
 * shows the price alone.
 */
export interface Replayed {
  readonly shards: number
  readonly placement: Placement
  readonly appendsASecond: number
  readonly walBytes: number
  /** CPU ms of Postgres an append */
  readonly postgresMs: number
  readonly transactions: number
}

/** @param admin of a server with prepared transactions. @param cpu of the server, in ms */
export async function replayOn(
  admin: string,
  appends: readonly RecordedAppend[],
  how: { readonly shards: number; readonly placement: Placement; readonly seconds: number },
  cpu: () => number,
): Promise<Replayed> {
  const { shards, placement, seconds } = how
  const names = Array.from({ length: shards }, (_, i) => `shard_${i}`)
  await onServer(admin, async (client) => {
    for (const name of names) await client.query(`create database ${name}`)
  })
  const urls = names.map((name) => Object.assign(new URL(admin), { pathname: name }).href)
  const place = placing(placement, shards, appends)
  await plant(urls, appends, place)
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connect(urls)))
  const before = { ...(await measure(admin)), cpu: cpu(), at: performance.now() }
  let [next, done] = [0, 0]
  const until = before.at + seconds * 1000
  await Promise.all(
    clients.map(async (client, i) => {
      for (let own = 0; performance.now() < until; own++) {
        const append = appends[next++ % appends.length] as RecordedAppend
        await appendTo(client, append, place, `append-${i}-${own}`)
        done += 1
      }
    }),
  )
  const elapsed = performance.now() - before.at
  const used = cpu() - before.cpu
  await Promise.all(clients.flat().map((client) => client.end()))
  const after = await measure(admin)
  await onServer(admin, async (client) => {
    for (const name of names) await client.query(`drop database ${name} with (force)`)
  })
  const each = (sum: number) => round(sum / done)
  return {
    shards,
    placement,
    appendsASecond: round((1000 * done) / elapsed),
    walBytes: each(after.wal - before.wal),
    postgresMs: each(used),
    transactions: each(after.transactions - before.transactions),
  }
}

/**
 * Shard by shard in their order, and within one by name: so no two appends wait for each other, on any shard.
 */
async function appendTo(
  client: readonly pg.Client[],
  append: RecordedAppend,
  place: (reel: string) => number,
  id: string,
): Promise<void> {
  const reach = reachOf(append, place)
  const on = (shard: number, reels: readonly string[]) => reels.filter((reel) => place(reel) === shard)
  const reaching = (shard: number) => ({
    name: 'reach',
    text: 'select reach($1, $2)',
    values: [on(shard, append.written), on(shard, append.checked)],
  })
  const shards = [...reach.writes, ...reach.checks].sort((a, b) => a - b)
  if (shards.length === 1) {
    await client[shards[0]!]!.query(reaching(shards[0]!))
    return
  }
  for (const shard of shards) {
    await client[shard]!.query('begin')
    await client[shard]!.query(reaching(shard))
  }
  await commitAll(client, reach, id)
}

/** Who only checked holds its locks until the others have committed or are prepared. */
async function commitAll(client: readonly pg.Client[], { writes, checks }: Reach, id: string): Promise<void> {
  const all = (shards: readonly number[], statement: string) =>
    Promise.all(shards.map((shard) => client[shard]!.query(statement)))
  if (writes.length < 2) await all(writes, 'commit')
  else {
    // A prepared transaction has a name for the whole server, and all shards are databases of one server
    // here.
    await Promise.all(writes.map((shard) => client[shard]!.query(`prepare transaction '${id}-${shard}'`)))
    await Promise.all(writes.map((shard) => client[shard]!.query(`commit prepared '${id}-${shard}'`)))
  }
  await all(checks, 'commit')
}

async function plant(
  urls: readonly string[],
  appends: readonly RecordedAppend[],
  place: (reel: string) => number,
): Promise<void> {
  const reels = [...new Set(appends.flatMap(({ written, checked }) => [...written, ...checked]))]
  for (const [shard, url] of urls.entries()) {
    await onServer(url, async (client) => {
      await client.query(SHARD)
      await client.query('insert into head select reel, 0 from unnest($1::text[]) reel', [
        reels.filter((reel) => place(reel) === shard),
      ])
    })
  }
}

const connect = (urls: readonly string[]): Promise<pg.Client[]> =>
  Promise.all(
    urls.map(async (url) => {
      const client = new pg.Client(url)
      await client.connect()
      return client
    }),
  )

const measure = (url: string): Promise<{ wal: number; transactions: number }> =>
  onServer(url, async (client) => {
    const { rows } = await client.query(`
      select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as wal,
        (select sum(xact_commit)::float8 from pg_stat_database where datname like 'shard%') as transactions`)
    return rows[0]
  })

export async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
