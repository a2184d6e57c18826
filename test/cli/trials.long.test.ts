import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tableDigests } from '../support/table-digests.ts'
import { useModelServer } from '../support/use-world.ts'
import { useInstance, useJsonFiles } from './instance.ts'

const MOMENTS = 200
const BEINGS = ['ada', 'ben', 'cleo', 'dan']

const model = useModelServer()
const home = useInstance({ modelServer: model })
const file = useJsonFiles()
const folder = mkdtempSync(join(tmpdir(), 'treeos-trials-'))
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(async () => {
  model.script(() => ({ tool: { name: 'summon', args: { content: 'good day' } } }))
  for (const name of BEINGS) await home.json(['birth', name, '--cognition', 'llm', '--role', 'resident'])
  for (let i = 0; i < MOMENTS; i++)
    await home.json(['summon', `@${BEINGS[i % BEINGS.length]}`, `hello ${i}`, '--wait', '60'])
}, 300_000)

const linesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const trial = (more: object = {}) => ({
  trial: 1,
  moments: { being: BEINGS.map((name) => `@${name}`), last: MOMENTS },
  candidates: { now: {}, stable: { layout: 'stable-first' } },
  bars: [{ metric: 'same', atLeast: 1 }],
  ...more,
})

describe('treeos trial run', () => {
  const kept = join(folder, 'answers.jsonl')

  it(`asks ${MOMENTS} past moments again in one command, and changes nothing that is stored`, async () => {
    const before = await home.asOwner(tableDigests)
    const ran = await home.run(['trial', 'run', file('trial.json', trial()), '--keep', kept, '--json'])
    expect(await home.asOwner(tableDigests)).toEqual(before)
    expect(ran.status, ran.stderr).toBe(0)
    const lines = linesOf(ran.stdout)
    expect(lines).toHaveLength(2 * MOMENTS + 1)
    expect(lines.at(-1)).toMatchObject({
      summary: { moments: MOMENTS, calls: 2 * MOMENTS, ok: true, stopped: null },
    })
    expect(ran.stderr).toContain(`${MOMENTS} moments × 2 candidates: up to ${2 * MOMENTS} calls`)
  })

  it('asks no model for kept answers, and ends with 1 when a bar is missed', async () => {
    model.reset()
    const missed = trial({ bars: [{ candidate: 'stable', metric: 'differs', atLeast: 0.5 }] })
    const ran = await home.run(['trial', 'run', file('missed.json', missed), '--keep', kept, '--only-kept'])
    expect(ran.status).toBe(1)
    expect(ran.stdout).toContain('✗ stable differs: at least 0.5, is 0')
    expect(model.requests.filter(({ method }) => method === 'POST')).toEqual([])
    expect((await home.run(['trial', 'run', 'x.json', '--only-kept'])).status).toBe(2)
    const wrong = await home.refusal([
      'trial',
      'run',
      file('wrong.json', { trial: 1, candidates: { a: { url: 'x' } } }),
    ])
    expect(wrong).toMatchObject({
      status: 1,
      code: 'INVALID_INPUT',
      message: expect.stringContaining('candidates.a: has no field "url"'),
    })
  })

  it('Ctrl-C ends it with the summary of what was asked', async () => {
    model.script(async () => {
      await sleep(100)
      return { tool: { name: 'summon', args: { content: 'good day' } } }
    })
    const child = home.start(['trial', 'run', file('slow.json', trial()), '--json', '--concurrency', '2'])
    let stdout = ''
    let isStopped = false // a second Ctrl-C would end it at once
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout += text
      if (isStopped || stdout.split('\n').length <= 4) return
      isStopped = child.kill('SIGINT')
    })
    const [status] = await once(child, 'close')
    expect(status).toBe(1)
    const { summary } = linesOf(stdout).at(-1)
    expect(summary).toMatchObject({ stopped: 'interrupted', ok: false })
    expect(summary.candidates.now.moments).toBeGreaterThan(0)
    expect(summary.candidates.now.moments).toBeLessThan(MOMENTS)
  })
})

describe('treeos world', () => {
  it('export and plant', async () => {
    const world = join(folder, 'world.yaml')
    expect(await home.json(['world', 'export', world])).toMatchObject({
      file: world,
      beings: expect.any(Number),
    })
    expect(await home.json(['world', 'plant', world])).toEqual({ dryRun: false, steps: [], tools: [] })
    const more = file('more.json', {
      treeos: 1,
      spaces: { '/attic': { type: 'room' } },
      tools: { notes: { command: ['false'] } },
    })
    expect(await home.json(['world', 'plant', more, '--dry-run'])).toEqual({
      dryRun: true,
      steps: [
        {
          path: 'spaces./attic',
          call: {
            verb: 'do',
            target: '/',
            operation: 'create-space',
            args: { path: '/attic', type: 'room' },
          },
        },
      ],
      conflicts: [],
      tools: [{ server: 'notes', state: 'missing', at: 'false' }],
    })
    expect(await home.json(['world', 'plant', more])).toMatchObject({ steps: [{ path: 'spaces./attic' }] })
    const bad = await home.refusal(['world', 'plant', file('bad.json', { treeos: 1, beings: { Ann: {} } })])
    expect(bad).toMatchObject({
      status: 1,
      code: 'INVALID_INPUT',
      message: expect.stringContaining('bad.json:1: beings.Ann'),
    })
    expect((await home.run(['world', 'plant', more, '--tools', '--as', '@ada'])).status).toBe(2)
  })
})
