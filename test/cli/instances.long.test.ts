import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { CliInstance, isAlive, MAIN, until } from './instance.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const instances: CliInstance[] = []
afterEach(async () => {
  for (const instance of instances.splice(0)) await instance.remove()
})

function newInstance(): CliInstance {
  const instance = new CliInstance()
  instances.push(instance)
  return instance
}

const pidsOf = (instance: CliInstance): number[] =>
  instance.state.services.flatMap(({ process: known }) => (known === null ? [] : [known.pid]))

/** Everything that a child says, as it says it. */
function listen(child: ChildProcess): { text: string } {
  const heard = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (heard.text += text))
  return heard
}

async function upInForeground(
  instance: CliInstance,
): Promise<{ child: ChildProcess; heard: { text: string } }> {
  const child = instance.start(['up'])
  const heard = listen(child)
  await until('ready', () => heard.text.includes('Ctrl-C'), 120)
  return { child, heard }
}

const echo = (instance: CliInstance) =>
  instance
    .json(['summon', '@echo', 'hello', '--wait', '30'])
    .then((summoned) => (summoned as { reply: unknown }).reply)
const HELLO = { from: '@echo', content: 'hello' }

it('two instances run side by side, each with its own ports and beings; down stops one alone', async () => {
  const [one, other] = [newInstance(), newInstance()]
  const started = await Promise.all([one.run(['up', '--detach']), other.run(['up', '--detach'])])
  expect(started.map(({ status }) => status)).toEqual([0, 0])
  await one.json(['birth', 'kid', '--cognition', 'human'])
  expect(await other.json<{ being: string }[]>(['beings'])).not.toContainEqual(
    expect.objectContaining({ being: 'kid' }),
  )
  const ports = [one, other].flatMap(({ state }) => Object.values(state.ports))
  expect(new Set(ports).size).toBe(ports.length)
  const [ours, others] = [pidsOf(one), pidsOf(other)]
  const { stopped } = await one.json<{ stopped: { name: string; end: string }[] }>(['down'])
  expect(stopped.map(({ name, end }) => `${name} ${end}`).sort()).toEqual([
    'checkpoints stopped',
    'portal stopped',
    'postgres stopped',
    'temporal stopped',
    'worker-1 stopped',
  ])
  expect(ours.filter(isAlive)).toEqual([])
  expect(others.filter(isAlive)).toEqual(others)
  expect(await echo(other)).toEqual(HELLO)
  // A restart goes on from the stored state.
  expect((await one.run(['up', '--detach'])).status).toBe(0)
  expect(await one.json<{ being: string }[]>(['beings'])).toContainEqual(
    expect.objectContaining({ being: 'kid' }),
  )
})

/** An outgoing connection of another process may hold the port for a moment. */
async function occupy(port: number | undefined): Promise<Server> {
  for (let tries = 1; ; tries += 1) {
    const listener = createServer().listen(port, '127.0.0.1')
    try {
      await once(listener, 'listening')
      return listener
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === 100) throw error
      await sleep(100)
    }
  }
}

describe('runs of one instance, one after another', () => {
  let home: CliInstance
  beforeAll(() => {
    home = new CliInstance()
  })
  afterAll(() => home.remove())

  async function endBy(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    const pids = pidsOf(home)
    // Temporal, Postgres, a worker, the portal, checkpoints, and what keeps them up
    expect(pids).toHaveLength(6)
    child.kill(signal)
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect(pids.filter(isAlive)).toEqual([])
    expect(home.state.services).toEqual([])
  }

  it('SIGHUP, which comes when its terminal is closed, ends one with everything it started', async () => {
    const { child } = await upInForeground(home)
    await endBy(child, 'SIGHUP')
  })

  it('SIGINT ends one in the foreground with everything it started', async () => {
    const { child } = await upInForeground(home)
    expect(await echo(home)).toEqual(HELLO)
    await endBy(child, 'SIGINT')
  })

  it('a worker that dies is started again; SIGTERM ends the run with everything it started', async () => {
    const { child, heard } = await upInForeground(home)
    const worker = home.pidOf('worker-1')
    process.kill(worker, 'SIGKILL')
    await until('another worker', () => heard.text.includes('everything runs again'))
    expect(heard.text).toContain('the worker ended: starting again in 0.5 s')
    expect(home.pidOf('worker-1')).not.toBe(worker)
    expect(await echo(home)).toEqual(HELLO)
    await endBy(child, 'SIGTERM')
  })

  it('a killed run leaves nothing that blocks the next one, which takes over what it left; down stops it too', async () => {
    const first = await upInForeground(home)
    const left = pidsOf(home).filter((pid) => pid !== first.child.pid)
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    expect(left.filter(isAlive)).toEqual(left)
    const next = await upInForeground(home)
    const pids = pidsOf(home)
    expect(pids).toEqual(expect.arrayContaining(left))
    expect(await echo(home)).toEqual(HELLO)
    const ended = once(next.child, 'exit')
    await home.json(['down'])
    expect((await ended)[0]).toBe(0)
    expect(pids.filter(isAlive)).toEqual([])
  })

  it('a run whose launcher was killed stops by itself', async () => {
    const launch = `require('node:child_process').spawn(process.execPath, [${JSON.stringify(MAIN)}, 'up'], { stdio: 'inherit' })`
    const launcher = spawn(process.execPath, ['-e', launch], {
      env: home.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const heard = listen(launcher)
    await until('ready', () => heard.text.includes('Ctrl-C'), 120)
    const pids = pidsOf(home)
    launcher.kill('SIGKILL')
    await until('the end of all', () => pids.every((pid) => !isAlive(pid)))
    expect(home.state.services).toEqual([])
  })

  it('a worker follows servers that had to take other ports', async () => {
    expect((await home.run(['up', '--detach'])).status).toBe(0)
    await home.loseSupervisor()
    const before = home.state
    const taken = await Promise.all(
      ['postgres', 'temporal'].map(async (name) => {
        const pid = home.pidOf(name)
        process.kill(pid, 'SIGKILL')
        await until(`the end of ${name}`, () => !isAlive(pid))
        return occupy(before.ports[name])
      }),
    )
    const { status, stderr } = await home.run(['up', '--detach'])
    for (const listener of taken) listener.close()
    expect(status, stderr).toBe(0)
    expect(stderr).toContain('its servers have moved')
    expect(home.state.ports.postgres).not.toBe(before.ports.postgres)
    expect(home.state.ports.temporal).not.toBe(before.ports.temporal)
    expect(await echo(home)).toEqual(HELLO)
  })
})

it('a start killed half way leaves nothing that blocks the next one', async () => {
  const home = newInstance()
  const child = home.start(['up'])
  const heard = listen(child)
  await until('a first service', () => heard.text.includes('starting Postgres'))
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect((await home.run(['up', '--detach'])).status).toBe(0)
  expect(await echo(home)).toEqual(HELLO)
})

it('a start that is interrupted stops what it has started', async () => {
  const home = newInstance()
  const child = home.start(['up'])
  const heard = listen(child)
  await until('a first service', () => heard.text.includes('starting Postgres'))
  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(143)
  expect(home.state.services).toEqual([])
})
