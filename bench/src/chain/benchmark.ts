import { hash, randomBytes } from 'node:crypto'
import { readFacts, readInclusionProof, sequence, verifyChains, verifyLog } from '@treeos/proofs'
import { createReality, inSnapshot, migrate, openDatabase, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { describeMachine } from '../machine.ts'
import { cpuOfTree } from '../processes.ts'
import { type Services, withServices } from '../services.ts'
import { round, spread } from '../statistics.ts'
import { writeFacts } from './facts.ts'

export interface ChainOptions {
  readonly size: 'small' | 'full'
  readonly facts: number | undefined
  readonly rounds: number | undefined
  readonly onProgress: (line: string) => void
}

const FACTS = { small: 50_000, full: 1_000_000 } as const
const FACTS_PER_REEL = 1000
const PROOFS = 500
/**
 * What a fact of this benchmark hashes: the header with the hash before it, and the payload with its salt.
 */
const HASHED_BYTES = [380, 170] as const

/** How fast a chain of facts is checked, beside bare sha256 and the reading of the rows in the same run. */
export function benchChain({ size, facts, rounds = 3, onProgress }: ChainOptions) {
  const count = Math.max(FACTS_PER_REEL, facts ?? FACTS[size])
  return withServices(onProgress, async (services) => {
    const db = openDatabase(await services.createDatabase('chain'), { asOwner: true, poolMax: 3 })
    services.atEnd(() => db.destroy())
    await migrate(db)
    const { reality } = await createReality(db, { name: 'bench', timeZone: 'UTC' })
    onProgress(`writing ${count} facts`)
    const reels = Math.round(count / FACTS_PER_REEL)
    await writeFacts(db, reality, { reels, factsPerReel: FACTS_PER_REEL })
    const time = (what: string, work: () => Promise<number>) =>
      timed(services, what, onProgress, rounds, work)
    const sha256 = await time('sha256 alone', async () => hashAlone(count))
    const reading = await time('reading the rows', () => readAll(db))
    const streamed = await time('streamed', async () => factsIn(await verifyChains(db, reality.id)))
    const sequenced = await timed(services, 'sequenced', onProgress, 1, () => sequence(db))
    const log = await time('the log', async () => (await verifyLog(db, [])).entries)
    return {
      benchmark: 'chain',
      at: new Date().toISOString(),
      machine: describeMachine(),
      parameters: { facts: count, reels, rounds },
      factsASecond: { sha256, reading, streamed, sequenced, log },
      secondsForAMillion: { streamed: round(1e6 / streamed.best) },
      ratios: {
        'streamed/sha256': round(streamed.best / sha256.best),
        'streamed/reading': round(streamed.best / reading.best),
      },
      inclusionProofMs: await proofTimes(db),
    }
  })
}

interface Rate {
  /** facts a second of the fastest round, by the clock */
  readonly best: number
  readonly rounds: readonly number[]
  /** CPU time a fact, in µs: of this process, and of Postgres with all its connections */
  readonly cpuUs: { readonly node: number; readonly postgres: number | null }
}

async function timed(
  { postgres }: Services,
  what: string,
  onProgress: (line: string) => void,
  rounds: number,
  work: () => Promise<number>,
): Promise<Rate> {
  const rates: number[] = []
  let facts = 0
  const before = { node: process.cpuUsage(), postgres: cpuOfTree(postgres.pid) }
  for (let i = 0; i < rounds; i++) {
    const began = performance.now()
    const done = await work()
    rates.push(round(done / ((performance.now() - began) / 1000)))
    facts += done
  }
  const node = process.cpuUsage(before.node)
  const server = cpuOfTree(postgres.pid)
  const rate = {
    best: Math.max(...rates),
    rounds: rates,
    cpuUs: {
      node: round((node.user + node.system) / facts),
      postgres:
        server === null || before.postgres === null
          ? null
          : round((1000 * (server - before.postgres)) / facts),
    },
  }
  onProgress(`${what}: ${rate.best} a second`)
  return rate
}

function factsIn({ ok, facts }: { ok: boolean; facts: number }): number {
  if (!ok) throw new Error('the chains of the benchmark are broken')
  return facts
}

function hashAlone(count: number): number {
  const parts = HASHED_BYTES.map((length) => randomBytes(length))
  for (let i = 0; i < count; i++) for (const part of parts) hash('sha256', part, 'binary')
  return count
}

/** The same rows as the walk reads, without a look at them. */
function readAll(db: Kysely<StoreDb>): Promise<number> {
  return inSnapshot(db, async (_, copy) => {
    let count = 0
    await readFacts(copy, () => {
      count += 1
    })
    return count
  })
}

/** Of single proofs, each with its reading, at random places of the log. */
async function proofTimes(db: Kysely<StoreDb>) {
  const { size } = await db.selectFrom('log_state').select('size').executeTakeFirstOrThrow()
  const times: number[] = []
  for (let i = 0; i < PROOFS; i++) {
    const began = performance.now()
    await readInclusionProof(db, Math.floor(Math.random() * size), size)
    times.push(performance.now() - began)
  }
  return { entries: size, ...spread(times) }
}
