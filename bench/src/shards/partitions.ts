import { type FactDraft, spaceReel } from '@treeos/core'
import { append, buildFacts, createReality, migrate, openDatabase, readHeads } from '@treeos/store'
import { round } from '../statistics.ts'
import { onServer } from './replay.ts'

const REELS = 64
const CLIENTS = 8
const PARTITIONS = 8

const FACT_INDEXES = `
  create unique index on treeos.fact (reel, hash);
  create index on treeos.fact (moment) where moment is not null;
  create index on treeos.fact (reel, seq) where kind in ('fact:erased', 'moment:erased');`

/**
 * Cuts the tables that a reel is a key of by the hash of the reel. The hash of a fact is then unique in its
 * part only.
 */
const CUT = ['head', 'fact']
  .map((table) => {
    const key = table === 'head' ? 'reel' : 'reel, seq'
    const parts = Array.from(
      { length: PARTITIONS },
      (_, i) =>
        `create table treeos.${table}_${i} partition of treeos.${table} for values with (modulus ${PARTITIONS}, remainder ${i});`,
    )
    return `
      alter table treeos.${table} rename to ${table}_whole;
      create table treeos.${table} (like treeos.${table}_whole including defaults including constraints, primary key (${key}))
        partition by hash (reel);
      ${parts.join('\n')}
      ${table === 'fact' ? FACT_INDEXES : ''}
      insert into treeos.${table} select * from treeos.${table}_whole;
      drop table treeos.${table}_whole cascade;`
  })
  .join('\n')

interface Side {
  readonly name: 'whole' | 'cut'
  readonly url: string
  readonly write: (seconds: number) => Promise<number>
  readonly end: () => Promise<void>
}

/** Our own append on tables as they are, and on tables cut by the hash of the reel, in turns. */
export async function comparePartitions(
  admin: string,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
  cpu: () => number,
) {
  const sides = [await raise(admin, 'whole'), await raise(admin, 'cut')]
  const heats = new Map(sides.map(({ name }) => [name, { appends: 0, ms: 0, wal: 0, cpu: 0 }]))
  for (const side of sides) await side.write(seconds / 2) // plans and caches
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const sum = heats.get(side.name)!
      const [wal, used, began] = [await walOf(admin), cpu(), performance.now()]
      sum.appends += await side.write(seconds)
      sum.ms += performance.now() - began
      sum.cpu += cpu() - used
      sum.wal += (await walOf(admin)) - wal
    }
  }
  const plans = new Map<string, Awaited<ReturnType<typeof planOf>>>()
  for (const side of sides) plans.set(side.name, await planOf(side.url))
  for (const side of sides) await side.end()
  return Object.fromEntries(
    [...heats].map(([name, { appends, ms, wal, cpu }]) => [
      name,
      {
        appendsASecond: round((1000 * appends) / ms),
        walBytes: round(wal / appends),
        postgresMs: round(cpu / appends),
        ...plans.get(name),
      },
    ]),
  )
}

async function raise(admin: string, name: Side['name']): Promise<Side> {
  const database = `partitions_${name}`
  await onServer(admin, (client) => client.query(`create database ${database}`))
  const url = Object.assign(new URL(admin), { pathname: database }).href
  const db = openDatabase(url, { asOwner: true, poolMax: CLIENTS })
  await migrate(db)
  const { reality } = await createReality(db, { name: 'bench', timeZone: 'UTC' })
  if (name === 'cut') await onServer(url, (client) => client.query(CUT))
  const reels = Array.from({ length: REELS }, (_, i) => spaceReel(`/hall/room-${i}`))
  const by = { driver: null, moment: null, cause: null, at: Date.now(), stack: null, actor: '$reality' }
  const parts = { moment: null, rows: [], inbox: [], changes: [], closes: [], outcome: null }
  const write = async (client: number, n: number) => {
    const reel = reels[(client + CLIENTS * n) % REELS]!
    const heads = new Map((await readHeads(db, reality.id, [reel])).map((head) => [head.reel, head]))
    const draft: FactDraft = {
      reel,
      kind: 'quality:set',
      payload: { path: ['weather', 'sky'], value: `rain ${n}` },
    }
    const { status } = await append(db, {
      ...parts,
      reality: reality.id,
      heads,
      facts: buildFacts(heads, [draft], by),
    })
    if (status !== 'appended') throw new Error(`an append ended with ${status}`)
  }
  return {
    name,
    url,
    async write(seconds) {
      const until = performance.now() + seconds * 1000
      let done = 0
      const run = async (client: number) => {
        for (let n = 0; performance.now() < until; n++, done++) await write(client, n)
      }
      await Promise.all(Array.from({ length: CLIENTS }, (_, client) => run(client)))
      return done
    },
    async end() {
      await db.destroy()
      await onServer(admin, (client) => client.query(`drop database ${database} with (force)`))
    },
  }
}

const walOf = (url: string): Promise<number> =>
  onServer(url, async (client) => {
    const { rows } = await client.query(`select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as wal`)
    return rows[0].wal
  })

const PLANS = 200

const READ = 'select f.hash, f.bytes from treeos.fact f'

/**
 * Of the statement that reads one fact by its key: the mean time to plan it, and the relations that it locks
 * by the plan for any key that `append` uses. The first plans of a connection, which fill its caches, do not
 * count.
 */
const planOf = (url: string): Promise<{ planningMs: number; locked: number }> =>
  onServer(url, async (client) => {
    const explain = `explain (summary, format json) ${READ} where reel = 'space:/hall/room-1' and seq = 1`
    let sum = 0
    for (let i = -20; i < PLANS; i++) {
      const { rows } = await client.query(explain)
      if (i >= 0) sum += rows[0]['QUERY PLAN'][0]['Planning Time']
    }
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare one (text, bigint) as ${READ} where reel = $1 and seq = $2`)
    await client.query(`execute one ('space:/hall/room-1', 1)`)
    await client.query('begin')
    await client.query(`execute one ('space:/hall/room-1', 1)`)
    const { rows } = await client.query(`
      select count(*)::int as locked from pg_locks l join pg_class c on c.oid = l.relation
      where l.pid = pg_backend_pid() and c.relnamespace = 'treeos'::regnamespace`)
    await client.query('rollback')
    return { planningMs: round(sum / PLANS), locked: rows[0].locked }
  })
