import { ensurePostgres, type Postgres } from '@treeos/local'
import { OPERATOR } from '@treeos/world'
import { describeMachine } from '../machine.ts'
import { Instance } from '../minds/instance.ts'
import { cpuOfTree } from '../processes.ts'
import { comparePartitions } from './partitions.ts'
import { type RecordedAppend, readAppends } from './recorded.ts'
import { onServer, replayOn } from './replay.ts'
import { describeReach, kindsOf, multiplied, PLACEMENTS, simulate } from './simulate.ts'

export interface ShardsOptions {
  readonly size: 'small' | 'full'
  /** database of a reality whose appends are read; left out: scenes are lived first */
  readonly url: string | undefined
  readonly seconds: number | undefined
  readonly rounds: number | undefined
  readonly onProgress: (line: string) => void
}

const SHARDS = [1, 2, 4, 8] as const
/** Two scenes have few places, so where they fall would be luck. */
const TIMES = 16
/** Scenes without a model. */
const SCENES = ['harmony', 'factory'] as const
const SIZES = {
  small: { liveMs: 5_000, seconds: 0.3, rounds: 1, replayed: ['being'] },
  full: { liveMs: 30_000, seconds: 2, rounds: 4, replayed: ['reel', 'neighbours'] },
} as const

/**
 * What share of the appends of a reality would span shards, what that costs on a real Postgres, and what
 * partitions cost there.
 */
export async function benchShards({ size, url, onProgress, ...options }: ShardsOptions) {
  const { liveMs, replayed } = SIZES[size]
  const { seconds = SIZES[size].seconds, rounds = SIZES[size].rounds } = options
  const instance = new Instance({})
  try {
    const recorded = url === undefined ? await live(instance, liveMs, onProgress) : await readLived(url)
    const appends = multiplied(recorded, TIMES)
    onProgress(`${recorded.length} appends are recorded`)
    const simulated = PLACEMENTS.flatMap((placement) =>
      SHARDS.map((shards) => simulate(appends, shards, placement)),
    )
    await instance.run(['down'])
    const postgres = await withPreparedTransactions(instance.folder)
    const cpu = () => cpuOfTree(postgres.pid) ?? Number.NaN
    const costs = []
    for (const placement of replayed)
      for (const shards of SHARDS) {
        costs.push(await replayOn(postgres.url, appends, { shards, placement, seconds }, cpu))
        onProgress(`by ${placement} on ${shards}: ${costs.at(-1)?.appendsASecond} appends/s`)
      }
    const partitions = await comparePartitions(postgres.url, { seconds, rounds }, cpu)
    await postgres.stop()
    return {
      benchmark: 'shards',
      at: new Date().toISOString(),
      machine: describeMachine(),
      parameters: { size, seconds, rounds, scenes: url === undefined ? SCENES : [], liveMs, times: TIMES },
      appends: { count: recorded.length, reach: describeReach(appends), kinds: kindsOf(appends) },
      simulated,
      costs,
      partitions,
    }
  } finally {
    await instance.remove()
  }
}

/** Lives the scenes, and reads what was appended. */
async function live(
  instance: Instance,
  ms: number,
  onProgress: (line: string) => void,
): Promise<RecordedAppend[]> {
  onProgress(`living ${SCENES.join(' and ')}`)
  for (const scene of SCENES) await instance.must(['up', '--detach', '--no-portal', '--demo', scene])
  await new Promise((resolve) => setTimeout(resolve, ms))
  const { url } = await ensurePostgres({ dataDir: instance.folder })
  return readLived(url)
}

/**
 * Without what the operator did: it plants the scenes, which takes more appends than a short life of them.
 */
const readLived = async (url: string): Promise<RecordedAppend[]> =>
  (await onServer(url, readAppends)).filter(({ being }) => being !== null && being !== OPERATOR)

async function withPreparedTransactions(dataDir: string): Promise<Postgres> {
  const before = await ensurePostgres({ dataDir })
  await onServer(before.url, (client) => client.query('alter system set max_prepared_transactions = 64'))
  await before.stop()
  return ensurePostgres({ dataDir })
}
