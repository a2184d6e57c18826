import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { ringBeing } from '@treeos/client'
import { canonicalJson, PRIORITIES, taskQueueOf } from '@treeos/core'
import { bootstrapReality, setStandardBudgets } from '@treeos/reality'
import { migrate, openDatabase } from '@treeos/store'
import { buildRegistry, seed } from '@treeos/world'
import pg from 'pg'
import { bear } from '../births.ts'
import type { Setup } from '../fanout/worker.ts'
import { describeMachine } from '../machine.ts'
import { diary } from '../moment/diary.ts'
import { Process } from '../moment/process.ts'
import { type Services, withServices } from '../services.ts'
import { percentile, round } from '../statistics.ts'

export interface RecoveryOptions {
  readonly size: 'small' | 'full'
  /** kills on each way */
  readonly rounds: number | undefined
  readonly onProgress: (line: string) => void
}

const KILLS = { small: 2, full: 20 } as const
/** Workers share them, so that nearly every kill meets some in the middle of a moment. */
const BEINGS = 6
const ALL_SECONDS_MAX = 120

/** The model answers within the workflow task, or in an activity of its own. */
const WAYS = [
  { way: 'short', thinkMs: 350 },
  { way: 'long', thinkMs: 1500 },
] as const

/**
 * Kills one of two workers in the middle of the moments of a few beings, again and again. The other one lives
 * on, and a new one takes the place of the dead one.
 */
export function benchRecovery(options: RecoveryOptions) {
  return withServices(options.onProgress, async (services) => {
    const results = []
    for (const { way, thinkMs } of WAYS) results.push(await killOn(services, way, thinkMs, options))
    return {
      benchmark: 'recovery',
      size: options.size,
      beings: BEINGS,
      machine: describeMachine(),
      ways: results,
    }
  })
}

async function killOn(
  services: Services,
  way: string,
  thinkMs: number,
  { size, rounds, onProgress }: RecoveryOptions,
) {
  const databaseUrl = await services.createDatabase(`recovery_${way}`)
  const names = Array.from({ length: BEINGS }, (_, i) => `llm-${i}`)
  const at = await plant(databaseUrl, `recovery-${way}-${process.pid}`, names)
  const stub = Process.stub(thinkMs)
  services.atEnd(() => stub.stop())
  const { url: modelUrl } = await stub.hear('listening')
  const setup: Setup = { databaseUrl, temporal: services.temporal.env, taskQueue: at.taskQueue, modelUrl }
  const connection = await Connection.connect(services.temporal.options)
  const temporal = new Client({ connection, namespace: services.temporal.namespace })
  const sql = new pg.Client(databaseUrl)
  await sql.connect()
  const tell = async (n: number) => {
    for (const being of names)
      await sql.query(WAKE, [`${being}/${n}`, being, PRIORITIES.interactive, CONTENT])
    await Promise.all(names.map((being) => ringBeing(temporal, at, being)))
  }
  const waiting = async () => (await sql.query(WAITING)).rows[0].count as number
  const settle = async () => {
    const until = performance.now() + 1000 * ALL_SECONDS_MAX
    for (; (await waiting()) > 0; await sleep(20))
      if (performance.now() > until) throw new Error(`${way}: not all lived within ${ALL_SECONDS_MAX} s`)
  }
  let workers = await Promise.all([startWorker(setup, services), startWorker(setup, services)])
  await tell(0)
  await settle()
  const seconds: number[] = []
  const kills = rounds ?? KILLS[size]
  for (let n = 1; n <= kills; n++) {
    await tell(n)
    await sleep(thinkMs * (0.2 + 0.6 * Math.random()))
    const [victim, survivor] = workers as [ChildProcess, ChildProcess]
    const unfinished = await waiting()
    const killed = performance.now()
    victim.kill('SIGKILL')
    await settle()
    if (unfinished > 0) seconds.push((performance.now() - killed) / 1000)
    onProgress(
      `${way}: all lived ${round((performance.now() - killed) / 1000)} s after kill ${n} of ${kills}`,
    )
    workers = [survivor, await startWorker(setup, services)]
  }
  const doubled = (await sql.query(DOUBLED)).rows[0].count as number
  const asked = (await stub.hear('asked', { type: 'count' })).calls
  for (const worker of workers) worker.kill('SIGKILL')
  await sql.end()
  await connection.close()
  return {
    way,
    thinkMs,
    kills: seconds.length,
    doubled,
    /** how often the model was asked for each moment */
    callsPerMoment: round(asked / (BEINGS * (kills + 1))),
    /** from the kill until the last being has lived */
    seconds: {
      p50: round(percentile(seconds, 0.5)),
      p95: round(percentile(seconds, 0.95)),
      max: round(Math.max(...seconds)),
    },
  }
}

async function plant(databaseUrl: string, name: string, names: readonly string[]) {
  const owner = openDatabase(databaseUrl, { asOwner: true, poolMax: 2 })
  await migrate(owner)
  const { reality } = await bootstrapReality(owner, buildRegistry([seed, diary]), { name, timeZone: 'UTC' })
  await setStandardBudgets({ db: owner, reality }, { llm: {} })
  const roleFlow = diary.clauses as never
  await bear(
    { db: owner, reality },
    names.map((being) => ({ name: being, cognition: { kind: 'llm' }, roleFlow })),
  )
  await owner.destroy()
  return { reality: name, taskQueue: taskQueueOf(name) }
}

async function startWorker(setup: Setup, services: Services): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, '../fanout/worker.ts'), [JSON.stringify(setup)], {
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

const CONTENT = Buffer.from(canonicalJson('Please keep this for me.'))
const WAKE = `
  insert into treeos.inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root)
  values ($1, $2, 'summon', $3, 'operator', 'operator', 'human', $4, $1)`
const WAITING = `
  select count(*)::integer from treeos.inbox where being like 'llm-%' and closed_by is null`
const DOUBLED = `
  select count(*)::integer from (select wake from treeos.moment_outcome where kind = 'act' group by wake having count(*) > 1) as twice`
