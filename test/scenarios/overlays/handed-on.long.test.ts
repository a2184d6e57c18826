/** A worker that stops in order hands the overlays that it holds on to another one. */
import { moments, setThreadOverlay, summon } from '@treeos/client'
import { VaultClient, vaultKeyIn } from '@treeos/overlay/vault'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WorkerProcess } from '../../faults/worker-process.ts'
import { until } from '../../support/life.ts'
import { type ModelRequest, type ModelServer, startModelServer } from '../../support/model-server.ts'
import { type Processes, prepareProcesses } from '../../support/processes.ts'
import { startWorld, type World } from '../../support/world.ts'

const OVERLAY = 'Speak as a harbour master would, in one short line.'
const userOf = ({ messages }: ModelRequest): string => String(messages.at(-1)?.content)

let processes: Processes
let model: ModelServer
let world: World
const start = async (): Promise<WorkerProcess> => {
  const worker = processes.start(world, {
    OPENAI_BASE_URL: model.url,
    TREEOS_MODEL: 'test',
    TREEOS_VAULT_KEY: `${processes.home}/vault-key`,
  })
  expect(await worker.ready).toBe(true)
  return worker
}
const vaults = async () =>
  (await sql<{ id: string; url: string }>`select id, url from treeos.vault order by id`.execute(world.db))
    .rows
const stop = async (worker: WorkerProcess) => {
  process.kill(worker.pid, 'SIGTERM')
  expect(await worker.ended).toBe(0)
}
function ask(target: string) {
  return summon(world, {
    target,
    content: 'what is new?',
    as: 'operator',
    waitSeconds: 60,
    overlay: { content: OVERLAY },
  })
}

beforeAll(async () => {
  processes = await prepareProcesses()
  model = await startModelServer()
  world = await startWorld({ modelUrl: model.url })
  for (const name of ['ann', 'ben', 'cleo']) await world.birth({ name, cognition: 'llm', role: 'resident' })
  await world.stopWorker()
}, 120_000)
afterAll(async () => {
  await model?.close()
  await processes?.close()
  await world?.close()
})

describe('a worker that stops in order', () => {
  it('hands on what calls under way and threads need: another worker asks the model with it', async () => {
    const holder = await start()
    Object.assign(world, { vaults: new VaultClient(vaultKeyIn(`${processes.home}/vault-key`)) })
    const [own] = await vaults()
    const { correlation: thread } = await summon(world, {
      target: 'ben',
      content: 'hello',
      as: 'operator',
      waitSeconds: 30,
    })
    await setThreadOverlay(world, { as: 'operator', thread, overlay: { content: `${OVERLAY} In verse.` } })
    model.reset()
    let isStopping = false
    model.script(() =>
      isStopping ? { tool: { name: 'summon', args: { content: 'all quiet' } } } : { hang: true },
    )
    const asked = ask('ann')
    await until(() => model.requests.some(({ body }) => body !== null))
    const heir = await start()
    isStopping = true
    await stop(holder)
    const left = await vaults()
    expect(left).toHaveLength(2)
    expect(left.find(({ id }) => id === own!.id)?.url).toBe(left.find(({ id }) => id !== own!.id)?.url)
    const { moment, reply } = await asked
    expect([moment?.outcome, reply?.content]).toEqual(['act', 'all quiet'])
    const inThread = await summon(world, {
      target: 'ben',
      content: 'and now?',
      as: 'operator',
      waitSeconds: 30,
      thread,
    })
    expect(inThread.moment?.overlay?.tiers).toEqual(['thread'])
    const users = model.requests.flatMap(({ body }) => (body === null ? [] : [userOf(body)]))
    expect(users.length).toBeGreaterThanOrEqual(3)
    for (const user of users) expect(user).toContain(OVERLAY)
    await stop(heir)
    expect(await vaults()).toEqual([]) // nobody was left to hand on to
  }, 120_000)

  it('a control: without another worker the call ends as OVERLAY_LOST as soon as one runs again', async () => {
    const holder = await start()
    model.reset()
    model.script(() => ({ hang: true }))
    const asked = ask('cleo').then(
      () => 'answered',
      (error: { code?: string }) => error.code,
    )
    await until(() => model.requests.some(({ body }) => body !== null))
    await stop(holder)
    model.script(() => ({ content: 'answered without the overlay' }))
    const before = model.requests.length
    const next = await start()
    const started = performance.now()
    expect(await asked).toBe('OVERLAY_LOST')
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(model.requests).toHaveLength(before)
    expect((await moments(world.db, 'cleo'))[0]).toMatchObject({ outcome: 'failure', reason: 'OVERLAY_LOST' })
    await stop(next)
  }, 120_000)
})
