/**
 * Sentinels as overlays of every tier, through moments of which many fail, and then a search of all that was
 * written.
 */

import { randomBytes } from 'node:crypto'
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setThreadOverlay, summon } from '@treeos/client'
import { isErrorCode, TreeosError } from '@treeos/core'
import { VaultClient } from '@treeos/overlay/vault'
import { putBlob } from '@treeos/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { WorkerProcess } from '../../faults/worker-process.ts'
import { echoing, everything } from '../../support/echo-model.ts'
import { exportHistories } from '../../support/histories.ts'
import { searchSinks } from '../../support/leak-search.ts'
import { filesIn, findInFile, sentinels, storePlainly } from '../../support/leaks.ts'
import { until } from '../../support/life.ts'
import { type ModelServer, startModelServer } from '../../support/model-server.ts'
import { type Monitoring, startMonitoring } from '../../support/monitors.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { type Processes, prepareProcesses } from '../../support/processes.ts'
import { startWorld, type World } from '../../support/world.ts'

/** The full size is 500. */
const MOMENTS = Number(process.env.TREEOS_LEAK_MOMENTS ?? (IS_NIGHT ? 60 : 30))
const BEINGS = ['ann', 'ben', 'cleo', 'dora', 'emil', 'fay']
const SECONDS = 60 + MOMENTS

const words = sentinels('call', 'thread', 'channel', 'workspace', 'account')
/** In their own table, and nowhere else. Those of calls and threads are nowhere at all. */
const STORED = ['account', 'channel', 'workspace'] as const
/** Put into each sink on purpose: the search must find it there. */
const control = sentinels('control')

const textOf = (word: string, n = 0): string =>
  `Speak as a harbour master would, and never of ${word}. This is ${n}, "quoted", with a line\nbreak and an Ω.`

let processes: Processes
let model: ModelServer
let world: World
let monitoring: Monitoring
const started: WorkerProcess[] = []
const ends: string[] = []
/** Loaded into each worker: a signal that makes it crash by an error that nothing catches. */
const CRASHER = `process.on('SIGHUP', () => setImmediate(() => { throw new Error('a crash, for a test') }))\n`
const isAlive = ({ pid }: WorkerProcess): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const folder = (name: string) => join(processes.home, name)

async function startProcess(): Promise<WorkerProcess> {
  const metricsPort = 20_000 + Math.floor(Math.random() * 10_000)
  const worker = processes.start(world, {
    ...monitoring.env,
    TREEOS_LOG: 'trace',
    OPENAI_BASE_URL: model.url,
    TREEOS_MODEL: 'test',
    TREEOS_OVERLAYS: 'stack', // so that all tiers reach the model
    TREEOS_MODEL_PATIENCE_SECONDS: '3',
    TREEOS_VAULT_KEY: folder('vault-key'),
    TREEOS_METRICS_PORT: String(metricsPort),
    TMPDIR: folder('tmp'),
    NODE_COMPILE_CACHE: folder('compiled'), // searched too
    NODE_OPTIONS: `--import=${folder('crasher.mjs')} --report-on-signal --report-uncaught-exception --report-directory=${folder('reports')}`,
  })
  expect(await worker.ready).toBe(true)
  monitoring.watch(metricsPort)
  started.push(worker)
  return worker
}

async function ask(n: number): Promise<void> {
  const target = BEINGS[n % BEINGS.length]!
  try {
    const { moment } = await summon(world, {
      target,
      content: `question ${n}`,
      as: 'operator',
      waitSeconds: 40,
      channel: 'harbour',
      overlay: { content: textOf(words.call, n) },
    })
    ends.push(moment?.outcome ?? 'none')
  } catch (error) {
    ends.push(error instanceof TreeosError && isErrorCode(error.code) ? error.code : String(error))
  }
}

const search = (wanted: Readonly<Record<string, string>>) =>
  searchSinks(
    {
      world,
      instance: dirname(inject('bundlePath')), // Temporal's SQLite with its WAL, and the logs of both servers
      worker: processes.home, // log, temporary files, crash reports, what monitoring got
    },
    wanted,
  )

beforeAll(async () => {
  processes = await prepareProcesses()
  for (const name of ['tmp', 'reports', 'scraped']) await mkdir(folder(name))
  await writeFile(folder('crasher.mjs'), CRASHER)
  monitoring = await startMonitoring(folder('scraped'))
  model = await startModelServer()
  world = await startWorld()
  for (const name of BEINGS) await world.birth({ name, cognition: 'llm', role: 'resident' })
  await world.stopWorker()
  await storePlainly(world.owner)
  await Promise.all([startProcess(), startProcess()])
  const key = Buffer.from((await readFile(folder('vault-key'), 'utf8')).trim(), 'base64url')
  Object.assign(world, { vaults: new VaultClient(key) })
  for (const [tier, scope, word] of [
    ['channel', 'harbour', words.channel],
    ['workspace', 'reality', words.workspace],
    ['account', 'operator', words.account],
  ] as const)
    await sql`insert into treeos.overlay (tier, scope, name, content, set_by)
      values (${tier}::text::treeos.stored_tier, ${scope}, 'n', ${textOf(word)}, 'operator')`.execute(
      world.owner,
    )
  let calls = 1 // not with a failure, since the thread begins with it
  model.script(async (request) => {
    await sleep(50)
    return echoing(request, calls++)
  })
}, 120_000)
afterAll(async () => {
  await model?.close()
  await monitoring?.close()
  await processes?.close()
  await world?.close()
})

describe('what a run of moments with overlays leaves behind', () => {
  it(
    'lives its moments, of which two of five and more fail, while one worker is killed and one crashes',
    async () => {
      const seen = new Set<string>()
      const first = await summon(world, {
        target: 'ann',
        content: 'begin',
        as: 'operator',
        waitSeconds: 40,
      }).catch(() => null)
      if (first !== null)
        await setThreadOverlay(world, {
          as: 'operator',
          thread: first.correlation,
          overlay: { content: textOf(words.thread) },
        })
      const threads = Math.ceil(MOMENTS / 10)
      for (let n = 0; first !== null && n < threads; n++)
        await summon(world, {
          target: 'ann',
          content: `more ${n}`,
          as: 'operator',
          waitSeconds: 40,
          thread: first.correlation,
        }).then(
          ({ moment }) => ends.push(moment?.outcome ?? 'none'),
          (error) => ends.push(String((error as TreeosError).code)),
        )
      // One after another for each being, so that a being never waits for more than one answer.
      let [killed, crashed] = [false, false]
      await Promise.all(
        BEINGS.map(async (_, lane) => {
          for (let n = lane; n < MOMENTS; n += BEINGS.length) {
            await ask(n)
            if (!killed && n > MOMENTS / 2) {
              killed = true
              started[0]!.kill()
              await startProcess()
            }
            if (!crashed && n > (2 * MOMENTS) / 3) {
              crashed = true
              process.kill(started[1]!.pid, 'SIGHUP')
              expect(await started[1]!.ended).not.toBe(0)
              await startProcess()
            }
          }
        }),
      )
      for (const { body } of model.requests)
        for (const [tier, word] of Object.entries(words))
          if (body !== null && everything(body).includes(word)) seen.add(tier)
      expect([...seen].sort()).toEqual(Object.keys(words).sort())
      const failed = ends.filter((end) => end !== 'act' && end !== 'see').length
      const counted = Object.entries(Object.groupBy(ends, (end) => end)).map(([end, of]) => [end, of!.length])
      console.error(
        `leaks: ${ends.length} calls, ${failed} failed: ${JSON.stringify(Object.fromEntries(counted))}`,
      )
      expect(ends.length).toBeGreaterThanOrEqual(MOMENTS)
      expect(failed).toBeGreaterThanOrEqual(0.4 * MOMENTS)
      expect(failed).toBeLessThan(ends.length)
    },
    1000 * SECONDS,
  )

  it(
    'no overlay is anywhere but in the memory of workers; a stored one is in its own table and nowhere else',
    async () => {
      // Reports of the state of the processes, beside the one that the crash left.
      const living = started.filter(isAlive)
      for (const { pid } of living) process.kill(pid, 'SIGUSR2')
      await until(async () => (await filesIn(folder('reports'))).length >= living.length + 1, {
        seconds: 20,
      })
      expect(monitoring.scrapes).toBeGreaterThan(started.length)
      const metrics = await readFile(join(folder('scraped'), 'metrics'), 'utf8')
      expect(metrics).toMatch(/^treeos_moments_total\{outcome="failure",reason="LLM_FAILED"\} [1-9]/m)
      const log = await readFile(folder('worker.log'), 'utf8')
      expect(log).toContain('a crash, for a test')
      const [ours] = await sql<{ file: string }>`
        select pg_relation_filepath('treeos.overlay') as file`
        .execute(world.owner)
        .then(({ rows }) => rows)
      const [toast] = await sql<{ file: string }>`
        select pg_relation_filepath(reltoastrelid) as file from pg_class where oid = 'treeos.overlay'::regclass`
        .execute(world.owner)
        .then(({ rows }) => rows)
      const own = [
        `postgres ${ours!.file}`,
        `postgres ${toast!.file}`,
        'postgres pg_wal/',
        'table treeos.overlay',
      ]
      // Other test files make databases, and Postgres then throws away its older log: so that it holds the
      // stored texts again.
      await sql`update treeos.overlay set content = content`.execute(world.owner)
      const { found, searched } = await search(words)
      console.error(
        `leaks: searched ${searched.files} files with ${Math.round(searched.bytes / 1e6)} MB, ${searched.tables} tables and ${searched.histories} histories; ${monitoring.scrapes} scrapes`,
      )
      const isOwn = (hit: string) =>
        own.some((place) => hit.startsWith(place)) && STORED.some((tier) => hit.includes(`: ${tier} as`))
      expect(found.filter((hit) => !isOwn(hit))).toEqual([])
      expect(found.filter((hit) => hit.startsWith('table treeos.overlay')).sort()).toEqual(
        STORED.map((tier) => `table treeos.overlay: ${tier} as raw`),
      )
      expect(found.some((hit) => hit.startsWith('postgres pg_wal/'))).toBe(true)
    },
    1000 * SECONDS,
  )

  it(
    'the same search finds a word that was put into each sink, in each form',
    async () => {
      const word = control.control
      const forms = [
        word,
        Buffer.from(word).toString('base64'),
        Buffer.from(`x${word}`).toString('base64'),
        Buffer.from(word).toString('hex'),
      ]
      // A failed check of a table logs its row: the log of Postgres.
      await sql`insert into treeos.life (being, generation, chain) values (${word}, 0, 'x')`
        .execute(world.owner)
        .catch(() => null)
      await appendFile(folder('worker.log'), `${forms.join('\n')}\n`)
      await writeFile(join(folder('tmp'), 'left-behind'), Buffer.from(word, 'utf16le'))
      await writeFile(join(folder('reports'), 'report.json'), JSON.stringify({ environment: forms[2] }))
      await appendFile(join(folder('scraped'), 'metrics'), `treeos_errors_total{where="${word}"} 1\n`)
      await fetch(`${monitoring.otlpUrl}/v1/traces`, { method: 'POST', body: JSON.stringify({ name: word }) })
      const [one] = await exportHistories(world)
      await world.temporal.workflow.getHandle(one!.workflowId).signal('wake', { word })
      const taskQueue = `nobody-${randomBytes(4).toString('hex')}`
      await world.temporal.workflow.start('control', { taskQueue, workflowId: taskQueue, args: [{ word }] })
      // Last, since Postgres throws its older log away while other test files make databases.
      await putBlob(world.owner, word)
      await sql`insert into treeos.overlay (tier, scope, name, content, set_by)
        values ('channel', 'control', 'n', ${word}, 'operator')`.execute(world.owner)
      const { found } = await search(control)
      const places = [
        'table treeos.blob: control as hex',
        'table treeos.overlay: control as raw',
        /^exported history: control as /,
        /^postgres base\/.*: control as raw/,
        /^postgres pg_wal\/.*: control as raw/,
        /^instance postgres\.log: control as raw/,
        /^instance temporal.*: control as raw/,
        ...['raw', 'hex', 'base64+0', 'base64+1'].map((form) => `worker worker.log: control as ${form}`),
        'worker tmp/left-behind: control as utf16-le',
        'worker reports/report.json: control as base64+1',
        'worker scraped/metrics: control as raw',
        'worker scraped/otlp: control as raw',
      ]
      const missing = places.filter((place) =>
        typeof place === 'string' ? !found.includes(place) : !found.some((hit) => place.test(hit)),
      )
      expect(missing.join('; ')).toBe('')
      await world.temporal.workflow.getHandle(taskQueue).terminate()
    },
    1000 * SECONDS,
  )
})

it('the search of a file finds a word across the parts that it reads', async () => {
  const file = join(tmpdir(), `h-overlay-${process.pid}`)
  const { word } = sentinels('word')
  try {
    await writeFile(file, Buffer.concat([Buffer.alloc((4 << 20) - 10), Buffer.from(word)]))
    expect(await findInFile(file, { word })).toEqual(['word as raw'])
  } finally {
    await rm(file, { force: true })
  }
})
