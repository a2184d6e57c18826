import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { Client, Connection } from '@temporalio/client'
import { act, type Connection as Reality } from '@treeos/client'
import { momentId, taskQueueOf } from '@treeos/core'
import { bootstrapReality, setStandardBudgets } from '@treeos/reality'
import { migrate, openDatabase } from '@treeos/store'
import { buildRegistry, OPERATOR, seed } from '@treeos/world'
import pg from 'pg'
import { bear } from '../births.ts'
import { describeMachine } from '../machine.ts'
import { cpuOf, cpuOfTree, peakMemory } from '../processes.ts'
import { type Services, withServices } from '../services.ts'
import { round, spread } from '../statistics.ts'
import type { Setup } from './worker.ts'

export interface FanoutOptions {
  readonly size: 'small' | 'full'
  readonly beings: number | undefined
  readonly onProgress: (line: string) => void
}

const BEINGS = { small: 200, full: 5000 } as const
const SECONDS_MAX = 900
const NAMESPACE = 'drum'
/** The flow of every being: it reads the drum and does nothing. */
const FLOW = [{ stack: true, when: { [`world.${NAMESPACE}.beat`]: { present: true } }, role: 'resident' }]

interface Beat {
  readonly what: string
  /** wakes that the commit put into inboxes */
  readonly wakes: number
  /** from the call to publish until the commit is known */
  readonly publishMs: number
  /** from the insert of the wake to the opening of its moment, both by Postgres' clock */
  readonly openedMs: { readonly p50: number; readonly p95: number; readonly max: number }
  /** beings that had exactly one moment for the beat; the benchmark fails unless these are all */
  readonly lived: number
  readonly allClosedSeconds: number
  /** of the workers that run at the end of the beat */
  readonly workers: readonly { readonly cpuSeconds: number; readonly memoryMiB: number }[]
  readonly cpuSeconds: { readonly temporal: number; readonly postgres: number }
}

/**
 * Sends one world signal to many beings whose flows read it. The first beat starts their workflows. At the
 * second beat they run already. At the third beat the worker that published is killed once half of the beings
 * have opened a moment.
 */
export function benchFanout(options: FanoutOptions) {
  const count = options.beings ?? BEINGS[options.size]
  return withServices(options.onProgress, async (services) => {
    const databaseUrl = await services.createDatabase('fanout')
    const { reality, close } = await plant(services, databaseUrl, count, options.onProgress)
    services.atEnd(close)
    const setup: Setup = {
      databaseUrl,
      temporal: services.temporal.env,
      taskQueue: taskQueueOf(reality.reality.name),
    }
    const stage = { reality, count, databaseUrl, services, onProgress: options.onProgress }
    const first = await startWorker(setup, services)
    const beats = [
      await beat(stage, 'workflows start', 1, [first]),
      await beat(stage, 'workflows live', 2, [first]),
    ]
    const second = await startWorker(setup, services)
    const kill = () => first.kill('SIGKILL')
    beats.push(await beat(stage, 'a worker is killed halfway', 3, [second], kill))
    return { benchmark: 'fanout', size: options.size, beings: count, machine: describeMachine(), beats }
  })
}

async function plant(
  services: Services,
  databaseUrl: string,
  count: number,
  onProgress: (line: string) => void,
): Promise<{ reality: Reality; close(): Promise<void> }> {
  const owner = openDatabase(databaseUrl, { asOwner: true, poolMax: 2 })
  await migrate(owner)
  const registry = buildRegistry([seed])
  const { reality } = await bootstrapReality(owner, registry, {
    name: `fanout-${process.pid}`,
    timeZone: 'UTC',
  })
  await setStandardBudgets({ db: owner, reality }, { scripted: {} })
  onProgress(`${count} beings are born`)
  const cognition = { kind: 'scripted', script: 'silent' }
  await bear(
    { db: owner, reality },
    Array.from({ length: count }, (_, i) => ({ name: `d-${i}`, cognition, roleFlow: FLOW })),
  )
  await owner.destroy()
  const db = openDatabase(databaseUrl, { role: 'treeos_people', poolMax: 2 })
  const connection = await Connection.connect(services.temporal.options)
  return {
    reality: { db, temporal: new Client({ connection }), reality, registry },
    async close() {
      await connection.close()
      await db.destroy()
    },
  }
}

async function startWorker(setup: Setup, services: Services): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), [JSON.stringify(setup)], {
    stdio: ['ignore', 2, 2, 'ipc'], // stdout holds the JSON result only
  })
  services.atEnd(async () => {
    child.kill('SIGKILL')
  })
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`a worker ended with ${code}`)))
  })
  return child
}

interface Stage {
  readonly reality: Reality
  readonly count: number
  readonly databaseUrl: string
  readonly services: Services
  readonly onProgress: (line: string) => void
}

async function beat(
  { reality, count, databaseUrl, services, onProgress }: Stage,
  what: string,
  value: number,
  workers: readonly ChildProcess[],
  halfway?: () => void,
): Promise<Beat> {
  const sql = new pg.Client(databaseUrl)
  await sql.connect()
  try {
    const cpuBefore = workers.map(({ pid }) => cpuOf(pid ?? 0))
    const serversBefore = cpuOfServers(services)
    const started = performance.now()
    const args = { namespace: NAMESPACE, key: 'beat', value }
    await act(reality, OPERATOR, { verb: 'do', operation: 'set-world-signal', target: '/', args })
    const publishMs = performance.now() - started
    const wakes = `change/${momentId(OPERATOR, 1, value)}/%`
    let isHalf = false
    for (let closed = 0; closed < count; await sleep(200)) {
      const { rows } = await sql.query(COUNT, [wakes])
      const { opened } = rows[0] as { opened: number }
      closed = (rows[0] as { closed: number }).closed
      if (!isHalf && opened * 2 >= count) {
        isHalf = true
        halfway?.()
      }
      if (performance.now() - started > SECONDS_MAX * 1000)
        throw new Error(`${what}: ${closed} of ${count} were woken within ${SECONDS_MAX} s`)
    }
    const allClosedSeconds = (performance.now() - started) / 1000
    const { rows } = await sql.query(OPENED, [wakes])
    const opened = (rows as { ms: number }[]).map(({ ms }) => ms)
    const lived = (await sql.query(LIVED, [wakes])).rows[0] as { lived: number; wakes: number }
    if (lived.lived !== count || opened.length !== count)
      throw new Error(`${what}: ${lived.lived} of ${count} lived one moment`)
    const result = {
      what,
      wakes: lived.wakes,
      publishMs: round(publishMs),
      openedMs: { ...spread(opened), max: round(Math.max(...opened)) },
      lived: lived.lived,
      allClosedSeconds: round(allClosedSeconds),
      workers: workers.map(({ pid }, i) => ({
        cpuSeconds: round((cpuOf(pid ?? 0) - (cpuBefore[i] ?? 0)) / 1000),
        memoryMiB: peakMemory(pid ?? 0),
      })),
      cpuSeconds: since(serversBefore, cpuOfServers(services)),
    }
    onProgress(`${what}: ${inspect(result.openedMs, { breakLength: 120 })}`)
    return result
  } finally {
    await sql.end()
  }
}

const COUNT = `
  select count(o.moment)::integer as opened, count(i.closed_by)::integer as closed
  from treeos.inbox i left join treeos.moment_open o on o.moment = i.claimed_by
  where i.id like $1`
/** When a wake was opened twice because a worker was killed, the first opening counts. */
const OPENED = `
  select min(o.opened_at) - extract(epoch from min(i.at))::float8 * 1000 as ms
  from treeos.inbox i join treeos.moment_open o on o.wake = i.id
  where i.id like $1 group by i.id`
const LIVED = `
  select count(*)::integer as wakes, count(o.moments = 1 or null)::integer as lived
  from treeos.inbox i left join (
    select wake, count(*) as moments from treeos.moment_outcome where kind = 'see' group by wake
  ) o on o.wake = i.id where i.id like $1`

const cpuOfServers = ({ temporal, postgres }: Services) => ({
  temporal: cpuOfTree(temporal.pid) ?? Number.NaN,
  postgres: cpuOfTree(postgres.pid) ?? Number.NaN,
})

const since = (before: ReturnType<typeof cpuOfServers>, now: ReturnType<typeof cpuOfServers>) => ({
  temporal: round((now.temporal - before.temporal) / 1000),
  postgres: round((now.postgres - before.postgres) / 1000),
})

export function refuseFanout({ size, beings }: { size: string; beings?: string | undefined }): string | null {
  if (!['small', 'full'].includes(size)) return `--size is small or full, not ${size}`
  return beings === undefined || /^[1-9]\d*$/.test(beings)
    ? null
    : `--beings is a whole number from 1, not ${beings}`
}
