import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { CliInstance, isAlive, until } from './instance.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

const HELLO = { from: '@echo', content: 'hello' }

interface Status {
  readonly supervisor: { readonly pid: number | null }
  readonly worker: { readonly running: boolean; readonly pids: number[] }
}

let home: CliInstance
beforeAll(async () => {
  home = new CliInstance()
  const { status, stderr } = await home.run(['up', '--detach'])
  expect(status, stderr).toBe(0)
})
afterAll(() => home?.remove())

const supervisor = async () => (await home.json<Status>(['status'])).supervisor.pid
const pids = () => home.state.services.flatMap(({ process: known }) => (known === null ? [] : [known.pid]))
const echo = async () =>
  (await home.json<{ reply: unknown }>(['summon', '@echo', 'hello', '--wait', '30'])).reply

async function kill(name: string): Promise<number> {
  const pid = home.pidOf(name)
  process.kill(pid, 'SIGKILL')
  await until(`the end of ${name}`, () => !isAlive(pid))
  return pid
}

/** Waits until another process runs under that name, and everything else runs too. */
async function comesBack(name: string, old: number): Promise<void> {
  const now = () => home.state.services.find((service) => service.name === name)?.process?.pid ?? old
  await until(`another ${name}`, () => now() !== old && isAlive(now()), 30)
  await until('all that ended', () => home.log('up.log').trimEnd().endsWith('everything runs again'), 30)
}

it('up --detach leaves a supervisor, which status names', async () => {
  expect(await supervisor()).toBe(home.pidOf('up'))
  expect(home.log('up.log')).toContain(`process ${home.pidOf('up')} supervises this instance`)
})

it.each([
  { name: 'worker-1', title: 'the worker' },
  { name: 'postgres', title: 'Postgres' },
  { name: 'temporal', title: 'Temporal' },
])('a detached instance whose $name is killed has another by itself, and beings answer', async (killed) => {
  const keeper = home.pidOf('up')
  const old = await kill(killed.name)
  await comesBack(killed.name, old)
  expect(home.log('up.log')).toContain(`${killed.title} ended: starting again in`)
  expect(await echo()).toEqual(HELLO)
  expect(home.pidOf('up')).toBe(keeper)
  expect((await home.json<Status>(['status'])).worker.pids).toHaveLength(1)
})

it('a second up waits for what the supervisor is starting again', async () => {
  await kill('worker-1')
  const { status, stdout } = await home.run(['up'])
  expect(status).toBe(0)
  expect(stdout).toContain('already running')
  expect((await home.json<Status>(['status'])).worker.running).toBe(true)
})

it('a second up with other settings names those that are not applied', async () => {
  const same = await home.run(['up'])
  expect(same.stderr).not.toContain('not applied')
  const other = await home.run(['up'], { env: { TREEOS_MODEL: 'another' } })
  expect(other.stderr).toContain('not applied: TREEOS_MODEL differ from what this instance was started with')
})

it('a killed supervisor leaves all else running, doctor says so, and up --detach starts another', async () => {
  const others = pids().filter((pid) => pid !== home.pidOf('up'))
  const old = await kill('up')
  expect(others.filter(isAlive)).toEqual(others)
  expect(await echo()).toEqual(HELLO)
  const sick = await home.run(['doctor', '--json'])
  expect(sick.status).toBe(1)
  expect(JSON.parse(sick.stdout).checks).toContainEqual({
    name: 'instance',
    ok: false,
    found: 'no supervisor runs: what ends is not started again',
    mend: `npx treeos up --detach --data ${home.dataDir}`,
  })
  expect((await home.run(['up', '--detach'])).status).toBe(0)
  expect(await supervisor()).not.toBe(old)
  expect(pids()).toEqual(expect.arrayContaining(others))
  expect((await home.run(['doctor', '--json'])).status).toBe(0)
  await comesBack('worker-1', await kill('worker-1'))
  expect(await echo()).toEqual(HELLO)
})

it.each([{ isSupervised: true }, { isSupervised: false }])(
  'down stops everything, and nothing comes back (supervisor alive: $isSupervised)',
  async ({ isSupervised }) => {
    expect((await home.run(['up', '--detach'])).status).toBe(0)
    const all = pids()
    // Temporal, Postgres, a worker, the portal, the signer of checkpoints, and what keeps them up
    expect(all).toHaveLength(6)
    if (!isSupervised) await kill('up')
    const { stopped } = await home.json<{ stopped: { name: string }[] }>(['down'])
    expect(stopped.map(({ name }) => name).sort()).toEqual([
      'checkpoints',
      'portal',
      'postgres',
      'temporal',
      'worker-1',
    ])
    expect(all.filter(isAlive)).toEqual([])
    expect(home.state.services).toEqual([])
    expect(existsSync(join(home.dataDir, 'instance.lock'))).toBe(!isSupervised) // a stale lock blocks nothing
  },
)

it('SIGTERM to the supervisor stops everything in order', async () => {
  expect((await home.run(['up', '--detach'])).status).toBe(0)
  const all = pids()
  process.kill(home.pidOf('up'), 'SIGTERM')
  await until('the end of all', () => all.every((pid) => !isAlive(pid)), 60)
  expect(home.log('up.log')).toContain('worker-1 stopped')
  expect(home.state.services).toEqual([])
})

it('an instance whose folder is deleted stops, and does not make the folder again', async () => {
  expect((await home.run(['up', '--detach'])).status).toBe(0)
  const all = pids()
  // Temporal, Postgres, a worker, the portal, the signer of checkpoints, and what keeps them up
  expect(all).toHaveLength(6)
  rmSync(home.dataDir, { recursive: true })
  await until('the end of all', () => all.every((pid) => !isAlive(pid)), 60)
  expect(existsSync(home.dataDir)).toBe(false)
})

it('a foreground up says that its folder was deleted, and ends with 1', async () => {
  const child = home.start(['up'])
  let told = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => (told += text))
  const ended = once(child, 'exit')
  let shown = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => (shown += text))
  await until('its start', () => shown.includes('TreeOS is up'), 120)
  const all = pids()
  rmSync(home.dataDir, { recursive: true })
  expect(await ended).toEqual([1, null])
  expect(told).toContain(`${home.dataDir} was deleted while its instance ran`)
  expect(all.filter(isAlive)).toEqual([])
  expect(existsSync(home.dataDir)).toBe(false)
})
