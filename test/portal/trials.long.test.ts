import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { act, issueToken, summon } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliInstance } from '../cli/instance.ts'
import { until } from '../support/life.ts'
import { PortalWorld, type Seat, send } from '../support/portal.ts'
import { tableDigests } from '../support/table-digests.ts'
import { useModelServer } from '../support/use-world.ts'

const server = useModelServer()
let at: PortalWorld
let ada: Seat
let bob: Seat
beforeAll(async () => {
  at = await PortalWorld.start({ modelUrl: server.url })
  ;[ada, bob] = [await at.enter('ada'), await at.enter('bob')]
  server.script(() => ({ tool: { name: 'summon', args: { content: 'good day' } } }))
  await asAda({ verb: 'do', operation: 'set-role', target: '/', args: { role: HOST } })
  const guide: JsonObject = { name: 'guide', cognition: 'llm', role: 'host' }
  await asAda({ verb: 'be', operation: 'birth', args: guide })
  for (const content of ['hello', 'who is there?', 'good evening'])
    await summon({ ...at.world, person: 'ada' }, { target: 'guide', content, as: 'ada', waitSeconds: 30 })
})
afterAll(() => at?.close())

const HOST = { name: 'host', canSummon: [{ rel: 'asker' }], prompt: 'You greet.' }
const asAda = (call: Parameters<typeof act>[2]) => act({ ...at.world, person: 'ada' }, 'ada', call)

interface Told {
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly data: any
}

const eventsOf = (text: string): Told[] =>
  [...text.matchAll(/event: (\w+)\ndata: (.*)/g)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data),
  }))

const trialOf = (more: object) => ({ trial: { trial: 1, moments: { being: '@guide' }, ...more } })
const run = (seat: Seat, trial: object) => at.post(seat, '/api/v1/trials', trial)

describe('a trial by the API', () => {
  it('asks past moments again and writes nothing: each table is the same before and after', async () => {
    const trial = trialOf({
      candidates: {
        now: {},
        mute: { roles: [{ ...HOST, canSummon: [], prompt: 'You say nothing.' }] },
        flow: { flow: [{ role: 'host' }] },
        model: { model: 'default' },
      },
    })
    const before = await tableDigests(at.world.owner)
    const estimate = await at.post(ada, '/api/v1/trials/estimate', trial)
    expect(estimate.json).toMatchObject({ moments: 3, candidates: 4, calls: 12, costMax: expect.any(Number) })
    const { status, text } = await run(ada, trial)
    expect(await tableDigests(at.world.owner)).toEqual(before)
    expect(status).toBe(200)
    const told = eventsOf(text)
    expect(told.map(({ event }) => event)).toEqual(['estimate', ...Array(12).fill('line'), 'summary'])
    expect(told[1]?.data).toMatchObject({
      ...{ being: 'guide', n: 1, candidate: 'now', same: true },
      was: { roles: ['host'] },
      would: { verdict: 'allowed', decision: { kind: 'call' } },
    })
    expect(told[2]?.data.would).toMatchObject({ verdict: expect.stringMatching(/refused|failed/) })
    expect(told.at(-1)?.data).toMatchObject({ moments: 3, calls: 12, stopped: null, ok: true })
    expect(at.errors).toEqual([])
  })

  it('is what `treeos trial run` does for who is logged in', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'treeos-test-trials-'))
    const terminal = new CliInstance(() => ({ TREEOS_DATA: '', XDG_CONFIG_HOME: folder }), folder)
    try {
      const { secret } = await issueToken({ ...at.world, person: 'ada' }, { being: 'ada', as: 'ada' })
      await terminal.json(['login', at.origin, '--token', '-'], { input: `${secret}\n` })
      const runOf = async (more: object) => {
        const input = JSON.stringify(trialOf({ candidates: { now: {} }, ...more }).trial)
        const { status, stdout } = await terminal.run(['trial', 'run', '-', '--json'], { input })
        return {
          status,
          lines: stdout
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        }
      }
      const { status, lines } = await runOf({})
      expect(lines.slice(0, -1)).toMatchObject(Array(3).fill({ being: 'guide', candidate: 'now' }))
      expect(lines.at(-1)).toMatchObject({ summary: { moments: 3, calls: 3, ok: true } })
      expect(status).toBe(0)
    } finally {
      await terminal.remove()
    }
  })

  it('is refused to who may not look into the past, and to who could not set what it tries', async () => {
    server.reset()
    const again = trialOf({ candidates: { again: {} } })
    expect((await run(bob, again)).json).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect((await at.post(bob, '/api/v1/trials/estimate', again)).status).toBe(403)
    // Of all whose past is open to @bob, nobody wore it.
    const ofRole = { trial: { trial: 1, moments: { role: 'host' }, candidates: { again: {} } } }
    expect((await run(bob, ofRole)).json.code).toBe('MOMENT_NOT_FOUND')
    const beyond = [
      { roles: [{ name: 'stage:free', prompt: 'mine' }] }, // of an extension
      { flow: [{ role: 'nobody-wrote-it' }] },
      { model: 'elsewhere' },
    ]
    const codes = []
    for (const candidate of beyond)
      codes.push((await run(ada, trialOf({ candidates: { beyond: candidate } }))).json?.code)
    expect(codes).toEqual(['RESOURCE_CONFLICT', 'ROLE_UNAVAILABLE', 'LLM_NOT_CONFIGURED'])
    expect(server.requests).toEqual([])
  })

  it('names no address, no code and no other model of a server', async () => {
    const odd: [object, string][] = [
      [{ candidates: { x: { model: { baseUrl: 'http://127.0.0.1:1' } } } }, 'trial.candidates.x.model'],
      [{ candidates: { x: { model: { connection: 'default', name: 'dear' } } } }, 'a connection'],
      [{ candidates: { x: {} }, scorers: { s: { module: '/etc/passwd' } } }, 'trial.scorers.s'],
      [{ candidates: { x: {} }, moments: { last: 5000 } }, 'trial.moments.last'],
      [{ candidates: { x: {} }, moments: { being: Array(999).fill('@guide') } }, 'trial.moments.being'],
      [
        { candidates: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`x${i}`, {}])) },
        'trial.candidates',
      ],
    ]
    for (const [more, where] of odd) {
      const { status, text } = await run(ada, trialOf(more))
      expect([status, text]).toEqual([400, expect.stringContaining(where)])
    }
  })

  it('ends with its request, and one of a person is under way at once', async () => {
    server.reset()
    server.script(() => ({ hang: true }))
    const leaving = new AbortController()
    const session = { cookie: ada.cookie, 'x-treeos-key': ada.key }
    const headers = { ...session, origin: at.origin, 'content-type': 'application/json' }
    const body = JSON.stringify(trialOf({ candidates: { again: {} } }))
    const url = `${at.origin}/api/v1/trials`
    const hanging = fetch(url, { method: 'POST', headers, body, signal: leaving.signal })
    const reading = hanging.then((answer) => answer.text()).catch(() => 'left')
    await until(async () => server.requests.length > 0)
    // Of two more one waits, whichever comes first, and the other is refused.
    const more = [1, 2].map(() => send(at.origin, '/api/v1/trials', { method: 'POST', headers, body }))
    expect((await Promise.race(more)).status).toBe(429)
    server.script(() => ({ tool: { name: 'summon', args: { content: 'good day' } } }))
    leaving.abort()
    expect(await reading).toBe('left')
    const waited = (await Promise.all(more)).filter(({ status }) => status === 200)
    expect(waited).toHaveLength(1)
    expect(eventsOf(waited[0]!.text).at(-1)).toMatchObject({ event: 'summary', data: { ok: true } })
    expect(at.errors).toEqual([])
  })
})
