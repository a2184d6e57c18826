import { Client, Connection } from '@temporalio/client'
import pg from 'pg'
import { describeMachine } from '../machine.ts'
import { type Lane, startLanes } from '../moment/lanes.ts'
import { Process } from '../moment/process.ts'
import { Race } from '../moment/race.ts'
import { cpuOf, cpuOfTree, memory } from '../processes.ts'
import { type Services, withServices } from '../services.ts'
import { round } from '../statistics.ts'
import {
  columnsOf,
  growth,
  isTable,
  type Sizes,
  type Split,
  sizesOfPostgres,
  sizesOfSqlite,
} from './split.ts'

/** `one`: one being lives many moments. `many`: many beings live one moment each. */
export const HALVES = ['one', 'many'] as const
export type Half = (typeof HALVES)[number]

export interface GrowthOptions {
  readonly size: 'small' | 'full'
  readonly halves: readonly Half[]
  readonly beings: number | undefined
  /** says by table what is stored */
  readonly isSplit: boolean
  readonly onProgress: (line: string) => void
}

/** Moments of one being, and beings of one moment each. */
const MOMENTS = { small: 200, full: 10_000 } as const
const PARTS = 10
const WARM_UP_BEINGS = 50
/** Beings that have their moment at the same time. */
const CROWD = 50
/** What a moment cost within one part of a run. */
interface Part {
  readonly ms: number
  readonly cpuMs: number
  readonly cpuMsOf: { readonly worker: number; readonly temporal: number; readonly postgres: number }
  /** growth of the histories of the sample, all their runs together, in bytes */
  readonly historyBytes: number
  /** growth of Postgres' relations */
  readonly postgresBytes: number
  /** growth of the files of Temporal's server; null for a server of one's own */
  readonly temporalBytes: number | null
  /** memory of the worker at the end of the part */
  readonly workerMiB: number
}

/**
 * Lives many moments of one being, then one moment each of as many beings, and compares what a moment costs
 * in the first tenth with the last tenth.
 */
export function benchGrowth({ size, halves, beings, isSplit, onProgress }: GrowthOptions) {
  const count = beings ?? MOMENTS[size]
  const crowd = halves.includes('many') ? count : 0
  return withServices(onProgress, async (services) => {
    const connection = await Connection.connect(services.temporal.options)
    services.atEnd(() => connection.close())
    const temporal = new Client({ connection, namespace: services.temporal.namespace })
    const stub = Process.stub()
    services.atEnd(() => stub.stop())
    const { url: modelUrl } = await stub.hear('listening')
    const course = {
      services,
      temporal,
      modelUrl,
      beings: crowd + WARM_UP_BEINGS,
      poolMax: 20,
      other: undefined,
    }
    const [lane] = await startLanes({ ...course, onProgress }, ['scripted'])
    if (lane === undefined) throw new Error('there is no lane')
    const race = new Race(lane)
    lane.process.onDone = (being, n) => race.done(being, n)
    const at: Stage = { services, temporal, lane, race, onProgress }
    onProgress('warming up')
    await race.run(lane.crowd.slice(crowd), { turns: 20 })
    const live = {
      one: async () => {
        await race.run([lane.solo], { turns: count / PARTS })
        return [lane.solo]
      },
      many: async (part: number) => {
        const some = lane.crowd.slice((part * count) / PARTS, ((part + 1) * count) / PARTS)
        await inTurn(some, CROWD, (being) => race.run([being], { turns: 1 }))
        return some.slice(0, 5)
      },
    }
    const lived = async (half: Half, what: string) => {
      if (!halves.includes(half)) return undefined
      const before = isSplit ? await sizesOf(at) : null
      const parts = await inParts(at, what, count / PARTS, live[half])
      return {
        lastOverFirst: lastOverFirst(parts),
        storedBytesPerMoment: storedBytes(parts),
        ...(before === null ? {} : { split: await splitOf(at, before, count) }),
        parts,
      }
    }
    return {
      benchmark: 'growth',
      at: new Date().toISOString(),
      machine: describeMachine(),
      moments: count,
      oneBeing: await lived('one', 'one being'),
      manyBeings: await lived('many', 'many beings'),
    }
  })
}

/** Sizes by table of Postgres, and of Temporal unless it is a server of one's own. */
async function sizesOf({ services, lane }: Stage) {
  const file = services.fileOfTemporal()
  return {
    postgres: await sizesOfPostgres(lane.databaseUrl),
    temporal: file === null ? null : await sizesOfSqlite(file),
  }
}

/** What one moment added to each table and index, and how wide the columns are of tables that grew. */
async function splitOf(at: Stage, before: Awaited<ReturnType<typeof sizesOf>>, moments: number) {
  const after = await sizesOf(at)
  const postgres = growth(before.postgres, after.postgres, moments)
  const none: Sizes = new Map()
  const tables = Object.entries(postgres).filter(([name, bytes]) => isTable(name) && bytes >= 50)
  const columns: Record<string, Split> = {}
  for (const [name] of tables) columns[name] = await columnsOf(at.lane.databaseUrl, name)
  return {
    postgres,
    columns,
    temporal: growth(before.temporal ?? none, after.temporal ?? none, moments),
  }
}

interface Stage {
  readonly services: Services
  readonly temporal: Client
  readonly lane: Lane
  readonly race: Race
  readonly onProgress: (line: string) => void
}

/** @param live runs the moments of a part. @returns beings of that part whose histories are measured */
async function inParts(
  at: Stage,
  what: string,
  moments: number,
  live: (part: number) => Promise<readonly string[]>,
): Promise<Part[]> {
  const parts: Part[] = []
  const histories = new Map<string, Map<string, number>>()
  for (let part = 0; part < PARTS; part++) {
    const before = await weigh(at)
    const began = performance.now()
    const sample = await live(part)
    const ms = performance.now() - began
    const after = await weigh(at)
    const perMoment = (of: (weight: Weight) => number) => round((of(after) - of(before)) / moments)
    let historyBytes = 0
    for (const being of sample) {
      const runs = histories.get(being) ?? new Map<string, number>()
      const then = sum(runs)
      await measureRuns(at, being, runs)
      histories.set(being, runs)
      historyBytes += sum(runs) - then
    }
    const momentsOfSample = sample.length === 1 ? moments : sample.length
    parts.push({
      ms: round(ms / moments),
      cpuMs: perMoment(({ cpuMs }) => cpuMs.worker + cpuMs.temporal + cpuMs.postgres),
      cpuMsOf: {
        worker: perMoment(({ cpuMs }) => cpuMs.worker),
        temporal: perMoment(({ cpuMs }) => cpuMs.temporal),
        postgres: perMoment(({ cpuMs }) => cpuMs.postgres),
      },
      historyBytes: round(historyBytes / momentsOfSample),
      postgresBytes: perMoment(({ postgresBytes }) => postgresBytes),
      temporalBytes:
        after.temporalBytes === null ? null : perMoment(({ temporalBytes }) => temporalBytes ?? 0),
      workerMiB: memory(at.lane.process.pid),
    })
    at.onProgress(`${what}, part ${part + 1} of ${PARTS}: ${JSON.stringify(parts.at(-1))}`)
  }
  return parts
}

interface Weight {
  readonly cpuMs: Part['cpuMsOf']
  readonly postgresBytes: number
  readonly temporalBytes: number | null
}

async function weigh({ services, lane }: Stage): Promise<Weight> {
  const client = new pg.Client(lane.databaseUrl)
  await client.connect()
  try {
    const { rows } = await client.query(
      `select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c
       where c.relnamespace = 'treeos'::regnamespace and c.relkind = 'r'`,
    )
    return {
      cpuMs: {
        worker: cpuOf(lane.process.pid),
        temporal: cpuOfTree(services.temporal.pid) ?? Number.NaN,
        postgres: cpuOfTree(services.postgres.pid) ?? Number.NaN,
      },
      postgresBytes: rows[0].bytes,
      temporalBytes: services.bytesOfTemporal(),
    }
  } finally {
    await client.end()
  }
}

const sum = (runs: ReadonlyMap<string, number>) => [...runs.values()].reduce((all, bytes) => all + bytes, 0)

/**
 * Weighs the history of each run of a being, beginning with its last one, until it meets a run that `runs`
 * has.
 */
async function measureRuns({ temporal, lane }: Stage, being: string, runs: Map<string, number>) {
  const workflowId = lane.workflowOf?.(being) ?? ''
  const { connection, options } = temporal
  const known = new Set(runs.keys())
  let runId: string | undefined
  do {
    const described = await temporal.workflow.getHandle(workflowId, runId).describe()
    runs.set(described.runId, described.historySize ?? 0)
    if (known.has(described.runId)) return
    const { history } = await connection.workflowService.getWorkflowExecutionHistory({
      namespace: options.namespace,
      execution: { workflowId, runId: described.runId },
      maximumPageSize: 1,
    })
    runId =
      history?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? undefined
  } while (runId)
}

/** Runs `work` for each item, with so many under way at once. */
async function inTurn<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await work(item)
    }),
  )
}

/** The cost of a moment in the last part over its cost in the first. */
function lastOverFirst(parts: readonly Part[]) {
  const over = (of: (part: Part) => number | null) => {
    const known = parts.flatMap((part) => of(part) ?? [])
    return round((known.at(-1) ?? Number.NaN) / (known[0] ?? Number.NaN))
  }
  return {
    ms: over(({ ms }) => ms),
    cpuMs: over(({ cpuMs }) => cpuMs),
    historyBytes: over(({ historyBytes }) => historyBytes),
    postgresBytes: over(({ postgresBytes }) => postgresBytes),
    temporalBytes: over(({ temporalBytes }) => temporalBytes),
    workerMiB: over(({ workerMiB }) => workerMiB),
  }
}

/** Bytes that a moment leaves in both stores, on average. */
function storedBytes(parts: readonly Part[]): number {
  const sum = parts.reduce((sum, part) => sum + part.postgresBytes + (part.temporalBytes ?? 0), 0)
  return round(sum / parts.length)
}
