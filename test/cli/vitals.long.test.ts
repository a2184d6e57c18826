import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { useModelServer } from '../support/use-world.ts'
import { isAlive, until, useInstance } from './instance.ts'

vi.setConfig({ testTimeout: 180_000 })

interface Status {
  readonly worker: { readonly pids: number[]; readonly metrics: string[]; readonly silent: string[] }
  readonly moments: Record<string, unknown> | null
  readonly models: Record<string, number> | null
  readonly slowestBeat: object | null
  readonly wakes: { readonly waiting: number; readonly oldestSeconds: number } | null
  readonly inbox: {
    readonly waiting: number
    readonly notices: number
    readonly oldestSeconds: number
  } | null
  readonly budgets: unknown
  readonly paced: number | null
}
interface Check {
  readonly name: string
  readonly ok: boolean
  readonly found: string
  readonly mend: string | null
}

const model = useModelServer()
const home = useInstance({ modelServer: model, env: { TREEOS_TIME_ZONE: 'Europe/Berlin' }, up: [] })

const status = () => home.json<Status>(['status'])
const summon = (being: string) => home.run(['summon', being, 'hello', '--wait', '30'])

async function doctor(): Promise<{ exit: number | null; wrong: Check[] }> {
  const { status: exit, stdout } = await home.run(['doctor', '--json'])
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  return { exit, wrong: checks.filter(({ ok }) => !ok) }
}

/** Makes open wakes older by so many minutes. */
const age = (minutes: number) =>
  home.asOwner((owner) =>
    sql`
      update treeos.inbox set at = at - make_interval(mins => ${minutes}) where closed_by is null`.execute(
      owner,
    ),
  )

describe('running', () => {
  it('status shows the services that run, without secrets', async () => {
    expect(await home.json(['status'])).toMatchObject({
      temporal: {
        address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        namespace: 'default',
        ui: expect.stringMatching(/^http:/),
      },
      postgres: { url: expect.stringMatching(/^postgres:\/\/treeos_commands@%2F.*:\d+\/treeos$/) },
      portal: { url: expect.stringMatching(/^http:\/\/localhost:\d+$/) },
      worker: {
        running: true,
        pids: [home.pidOf('worker-1')],
        metrics: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)],
        silent: [],
      },
      mind: { model: 'test-model', baseUrl: model.url },
      reality: { name: 'home', timeZone: 'Europe/Berlin' },
    })
  })

  it('a second up says which services run, and starts none', async () => {
    const before = home.state.services
    const { status, stdout } = await home.run(['up'])
    expect(status).toBe(0)
    expect(stdout).toContain('already running')
    expect(home.state.services).toEqual(before)
  })

  it('worker runs one more worker until a signal stops it', async () => {
    const child = home.start(['worker'])
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await until('a second worker', () => home.state.services.some(({ name }) => name === 'worker-2'))
    const second = home.pidOf('worker-2')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(isAlive(second)).toBe(false)
    expect((await home.json<{ worker: object }>(['status'])).worker).toMatchObject({
      running: true,
      pids: [home.pidOf('worker-1')],
    })
  })

  describe('a second worker from a shell without the variables of the model', () => {
    const shell = { OPENAI_BASE_URL: '', TREEOS_MODEL: '' }
    const enlist = async () => {
      const child = home.start(['worker'], shell)
      const ended = new Promise((resolve) => child.once('exit', resolve))
      await until('its metrics', () =>
        home.state.services.some(({ name, detail }) => name === 'worker-2' && detail?.metrics != null),
      )
      return async () => {
        child.kill('SIGTERM')
        await ended
      }
    }
    const mindOf = (name: string) => home.state.services.find((one) => one.name === name)?.detail?.model
    const checkMinds = async () => {
      const { stdout } = await home.run(['doctor', '--json'], { env: shell })
      return (JSON.parse(stdout) as { checks: Check[] }).checks.filter(({ name }) => name === 'mind')
    }

    it('takes the settings of the instance, and doctor and status say what the workers have', async () => {
      const leave = await enlist()
      try {
        expect(mindOf('worker-2')).toBe('test-model')
        const { mind } = await home.json<{ mind: object }>(['status'], { env: shell })
        expect(mind).toEqual({ model: 'test-model', baseUrl: model.url })
        expect(await checkMinds()).toMatchObject([
          { ok: true, found: `test-model at ${model.url} calls tools, and told nothing of a picture` },
        ])
      } finally {
        await leave()
      }
    })

    it('control: without the kept settings it joins without a model, and doctor says so', async () => {
      const settings = readFileSync(join(home.dataDir, 'settings.json'), 'utf8')
      expect(statSync(join(home.dataDir, 'settings.json')).mode & 0o777).toBe(0o600)
      rmSync(join(home.dataDir, 'settings.json'))
      const leave = await enlist()
      try {
        expect(mindOf('worker-2')).toBeUndefined()
        expect(await checkMinds()).toMatchObject([
          { ok: false, found: expect.stringMatching(/the workers have different models: .* has none$/) },
        ])
      } finally {
        await leave()
        writeFileSync(join(home.dataDir, 'settings.json'), settings, { mode: 0o600 })
      }
    })
  })

  it('doctor finds nothing missing or wrong', async () => {
    const { ok, checks } = await home.json<{ ok: boolean; checks: { name: string; ok: boolean }[] }>([
      'doctor',
    ])
    expect(ok).toBe(true)
    expect(checks.map((check) => check.name)).toEqual([
      'node',
      'folder',
      'ports',
      'postgres',
      'temporal',
      'temporal guard',
      'database',
      'mind',
      'instance',
      'metrics',
      'wakes',
      'login',
      'model',
      'checkpoints',
      'task queue',
      'workflows',
    ])
  })
})

it('status shows the counts of the worker since its start, and the wakes that wait', async () => {
  const before = await status()
  expect(before.moments).toEqual({ act: 0, see: 0, failure: 0, skipped: 0, reasons: {} })
  expect(before).toMatchObject({ slowestBeat: null, wakes: { waiting: 0, oldestSeconds: 0 } })
  model.script([
    {
      tool: { name: 'summon', args: { content: 'Hm.' } },
      usage: { prompt_tokens: 120, completion_tokens: 8 },
    },
    { status: 401, body: { error: { message: 'no such key' } } },
  ])
  expect((await summon('@librarian')).status).toBe(0)
  expect((await summon('@librarian')).status).toBe(1)
  const after = await status()
  expect(after.moments).toMatchObject({ failure: 1, reasons: { LLM_FAILED: 1 } })
  expect(after.moments?.act).toBeGreaterThanOrEqual(3) // the operator's two and the librarian's
  expect(after.models).toEqual({ calls: 2, failures: 1, lost: 0, promptTokens: 120, completionTokens: 8 })
  expect(after.slowestBeat).toEqual({
    name: expect.any(String),
    meanSeconds: expect.any(Number),
    p95Seconds: expect.any(Number),
  })
  const { stdout } = await home.run(['status'])
  expect(stdout).toMatch(/^ {2}metrics +http:\/\/127\.0\.0\.1:\d+\/metrics$/m)
  expect(stdout).toMatch(/^ {2}wakes +none waits for a worker$/m)
  expect(stdout).toMatch(/^ {2}moments +\d+ since the start: \d+ act, .*1 failure.* \(1 LLM_FAILED\)$/m)
  expect(stdout).toMatch(/^ {2}model +2 calls \(1 failed\), 120 tokens in, 8 out$/m)
  expect(stdout).toMatch(/^ {2}slowest +\w+, \d.* on average, 95 % within \d.*s$/m)
})

it('doctor tells of a model that fails, and that the rest is whole', async () => {
  const { exit, wrong } = await doctor()
  expect(exit).toBe(0)
  expect(wrong).toEqual([
    expect.objectContaining({
      name: 'model',
      found: '2 calls since the start, 1 failed, 0 lost and tried again',
    }),
  ])
})

it('status and doctor tell of beings that a budget has parked, until they go on', async () => {
  await home.json(['do', '@librarian', 'set-budget', '--args', '{"tokens": 1}'])
  expect((await summon('@librarian')).stderr).toContain('BUDGET_EXCEEDED')
  expect(await status()).toMatchObject({ parked: 1 })
  expect((await home.run(['status'])).stdout).toMatch(/^ {2}parked +1 being is parked by a budget$/m)
  expect((await home.run(['beings'])).stdout).toMatch(/^@librarian +llm, parked by a budget of tokens /m)
  expect((await doctor()).wrong).toContainEqual(expect.objectContaining({ name: 'budgets' }))
  await home.json(['do', '@librarian', 'set-budget', '--args', '{}'])
  expect(await status()).toMatchObject({ parked: 0 })
  expect((await doctor()).wrong).not.toContainEqual(expect.objectContaining({ name: 'budgets' }))
})

it('status tells wakes that wait for a budget of moments a minute from those that wait for a worker', async () => {
  await home.json(['do', '@echo', 'set-budget', '--args', '{"momentsPerMinute": 1}'])
  await until('wakes that wait', async () => {
    await home.json(['summon', '@echo', 'hi', '--no-reply']) // its answers would wait for the operator
    const { wakes, paced } = await status()
    return paced !== null && paced > 0 && wakes?.waiting === paced
  })
  expect((await home.run(['status'])).stdout).toMatch(
    /^ {2}wakes +\d+ waits? for a budget of moments a minute, the oldest for /m,
  )
  await home.json(['do', '@echo', 'set-budget', '--args', '{}'])
  await until('the end of the line', async () => (await status()).wakes?.waiting === 0)
  expect(await status()).toMatchObject({ paced: 0 })
})

it('status counts what waits for people apart from the wakes for workers, and each of equal notices', async () => {
  const { inbox: before } = await status()
  expect(before).toMatchObject({ waiting: 0 })
  model.script([
    { status: 401, body: { error: { message: 'no such key' } } },
    { status: 401, body: { error: { message: 'no such key' } } },
  ])
  expect((await summon('@librarian')).status).toBe(1)
  expect((await summon('@librarian')).status).toBe(1)
  const { inbox, wakes } = await status()
  expect(wakes).toMatchObject({ waiting: 0 })
  expect(inbox).toMatchObject({ waiting: 0, notices: (before?.notices ?? 0) + 2 })
  expect((await home.run(['status'])).stdout).toMatch(/^ {2}inbox +\d+ notices for people, the oldest for /m)
  expect(await home.json(['inbox', 'read', '--all-notices'])).toEqual({ closed: expect.any(Number) })
  expect((await status()).inbox).toEqual({ waiting: 0, notices: 0, oldestSeconds: 0 })
  expect((await home.run(['status'])).stdout).toMatch(/^ {2}inbox +nothing waits for people$/m)
})

it('the standard budgets are told by status, and changed by one command', async () => {
  expect((await status()).budgets).toEqual({
    llm: { momentsPerMinute: 30, births: 32, tokens: 1_000_000, tokensPerPerson: 20_000_000, per: 'day' },
    scripted: { momentsPerMinute: 600, births: 32, per: 'day' },
  })
  expect((await home.run(['status'])).stdout).toMatch(
    /^ {2}budget +each llm: 30 moments a minute, 1000000 tokens a day; each scripted: 600 moments a minute$/m,
  )
  await home.json(['budget', 'set', '/', '{"momentsPerMinute": 200, "tokens": 5000000}'])
  expect((await status()).budgets).toMatchObject({
    llm: { momentsPerMinute: 200, tokens: 5_000_000, per: 'day' },
  })
})

it('people are invited by name, listed, and lose their link or their account', async () => {
  const made = await home.json<{ stance: string; link: string }>(['people', 'invite', 'fay', '--hours', '2'])
  expect(made).toMatchObject({ stance: '@fay', hours: 2 })
  const { origin, pathname, hash } = new URL(made.link)
  expect({ pathname, hash }).toEqual({ pathname: '/welcome', hash: expect.stringMatching(/^#[\w-]{43}$/) })
  const use = (token: string) =>
    fetch(`${origin}/api/open/link/use`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ token, password: 'correct horse battery' }),
    })
  const list = () => home.json<{ stance: string }[]>(['people', 'list'])
  expect(await list()).toContainEqual({
    stance: '@fay',
    hasAccount: false,
    seenAt: null,
    invitation: { madeBy: '@operator', expiresAt: expect.any(String), isOver: false },
  })
  expect((await home.run(['people', 'revoke', '@fay'])).status).toBe(0)
  expect(await home.refusal(['people', 'revoke', '@fay'])).toMatchObject({ code: 'RESOURCE_CONFLICT' })
  expect((await use(hash.slice(1))).status).toBe(401)
  const { link } = await home.json<{ link: string }>(['link', '@fay'])
  expect((await use(new URL(link).hash.slice(1))).status).toBe(200)
  expect(await list()).toContainEqual(expect.objectContaining({ stance: '@fay', hasAccount: true }))
  expect(await home.json(['people', 'remove', '@fay'])).toMatchObject({ removed: true, sessionsEnded: 1 })
  expect(await home.refusal(['people', 'list', '--as', '@nobody'])).toMatchObject({
    code: 'BEING_NOT_FOUND',
  })
  for (const command of ['revoke', 'remove'])
    expect(await home.refusal(['people', command, '@operator', '--as', '@fay'])).toMatchObject({
      code: 'FORBIDDEN',
    })
  expect(await home.refusal(['people', 'invite', 'fay'])).toMatchObject({ code: 'RESOURCE_CONFLICT' })
})

it('workers that come at once each tell their own URL, and one that is killed leaves none', async () => {
  const more: ChildProcess[] = [home.start(['worker']), home.start(['worker'])]
  await until('three workers that answer', async () => (await status()).worker.metrics.length === 3)
  const { worker } = await status()
  expect(new Set(worker.metrics).size).toBe(3)
  expect(worker.silent).toEqual([])
  const killed = home.pidOf('worker-3')
  process.kill(killed, 'SIGKILL')
  await until('its end', () => !isAlive(killed))
  const left = (await status()).worker
  expect(left.pids).not.toContain(killed)
  expect(left.metrics).toHaveLength(2)
  expect(left.silent).toEqual([])
  for (const child of more) {
    if (child.exitCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  expect((await status()).worker).toMatchObject({ pids: [home.pidOf('worker-1')], silent: [] })
})

it('a worker that hangs is named by both', async () => {
  const pid = home.pidOf('worker-1')
  process.kill(pid, 'SIGSTOP')
  try {
    const { worker, moments, wakes } = await status()
    expect({ silent: worker.silent, moments }).toEqual({ silent: worker.metrics, moments: null })
    expect(wakes).toEqual({ waiting: 0, oldestSeconds: 0 }) // as Postgres has it
    const { exit, wrong } = await doctor()
    expect(exit).toBe(1)
    expect(wrong).toEqual([
      expect.objectContaining({
        name: 'metrics',
        mend: expect.stringContaining(`kill -9 ${pid}, then npx treeos up`),
      }),
    ])
  } finally {
    process.kill(pid, 'SIGCONT')
  }
})

it('where no worker runs, doctor says so and names the beings whose wakes wait; its command mends it', async () => {
  await home.loseSupervisor()
  const before = (await status()).worker
  process.kill(before.pids[0]!, 'SIGKILL')
  await until('its end', () => !isAlive(before.pids[0]!))
  const asking = home.start(['summon', '@echo', 'anyone?'])
  await until('a wake that waits', async () => (await status()).wakes?.waiting === 1)
  asking.kill('SIGKILL')
  await age(5)
  expect(await status()).toMatchObject({
    worker: { running: false, metrics: [] },
    moments: null,
    wakes: { waiting: 1, oldestSeconds: expect.closeTo(300, -2) },
  })
  const { exit, wrong } = await doctor()
  expect(exit).toBe(1)
  expect(wrong).toEqual([
    expect.objectContaining({
      name: 'instance',
      found: expect.stringContaining(`worker-1 (process ${before.pids[0]}) ended, no worker runs`),
      mend: `npx treeos up --data ${home.dataDir}`,
    }),
    expect.objectContaining({
      name: 'wakes',
      found: '1 wake waits, the oldest for 5 min (of @operator): no worker runs',
    }),
  ])
  expect((await home.run(['up', '--detach'])).status).toBe(0)
  await until('no wake', async () => (await status()).wakes?.waiting === 0)
  expect((await status()).worker.metrics).not.toEqual(before.metrics)
  expect((await doctor()).exit).toBe(0)
})

it('while Postgres is away, workers still report their counts', async () => {
  await home.loseSupervisor()
  const pid = home.pidOf('postgres')
  process.kill(pid, 'SIGKILL')
  await until('its end', () => !isAlive(pid))
  const { worker, moments, wakes } = await status()
  expect(worker.silent).toEqual([])
  expect(moments).not.toBeNull()
  expect(wakes).toBeNull()
  const { wrong } = await doctor()
  expect(wrong).toContainEqual(
    expect.objectContaining({ name: 'instance', found: `postgres (process ${pid}) ended` }),
  )
  expect((await home.run(['up', '--detach'])).status).toBe(0)
  // The signer tries again after a pause, and is behind until then.
  await until('nothing is wrong', async () => (await doctor()).exit === 0)
})
