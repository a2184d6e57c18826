import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { summon } from '@treeos/client'
import { createModel, modelEndpoint } from '@treeos/host'
import { beingWorkflowId } from '@treeos/protocol'
import { checkTrial, KeptAnswers, runTrial, type TrialEstimate, type TrialLine } from '@treeos/trials'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setRole } from '../../support/life.ts'
import { tableDigests } from '../../support/table-digests.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const MOMENTS = 12
const BEINGS = ['ada', 'ben']

const server = useModelServer()
const other = useModelServer()
const world = useWorld({ modelServer: server })
const folder = mkdtempSync(join(tmpdir(), 'treeos-trials-'))
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(async () => {
  await setRole(world, {
    name: 'host',
    canSummon: [{ rel: 'asker' }],
    canSee: ['/library'],
    prompt: 'You greet.',
  })
  server.script(() => ({ tool: { name: 'summon', args: { content: 'good day' } } }))
  for (const name of BEINGS) await world.birth({ name, cognition: 'llm', role: 'host' })
  for (let i = 0; i < MOMENTS; i++)
    await summon(world, {
      target: BEINGS[i % 2] ?? '',
      content: `hello ${i}`,
      as: 'operator',
      waitSeconds: 30,
    })
})

const MUTE = { name: 'host', prompt: 'You say nothing.' }

function modelsNow() {
  const made = ({ url }: { url: string }, model: string) =>
    createModel(modelEndpoint({ baseUrl: url, apiKey: null, model }), {
      timeoutSeconds: 20,
      prices: { dear: { prompt: 1000, completion: 1000 }, 'test-model': { prompt: 1, completion: 1 } },
    })
  return { model: made(server, 'test-model'), connections: new Map([['dear', made(other, 'dear')]]) }
}

async function run(file: object, more: Partial<Parameters<typeof runTrial>[1]> = {}) {
  const read = checkTrial({ trial: 1, ...file })
  if ('fault' in read) throw new Error(JSON.stringify(read.fault))
  const lines: TrialLine[] = []
  const told: TrialEstimate[] = []
  const summary = await runTrial(
    { db: world.db, registry: buildRegistry([seed]) },
    {
      trial: read.value,
      models: modelsNow(),
      load: (path) => import(path),
      onLine: (line) => lines.push(line),
      onEstimate: (estimate) => told.push(estimate),
      ...more,
    },
  )
  return { summary, lines, told }
}

/** Everything that is stored, and how long the histories of the beings are. */
async function traces() {
  const histories = BEINGS.map(async (being) => {
    const { historyLength } = await world.temporal.workflow
      .getHandle(beingWorkflowId(world.reality.name, being))
      .describe()
    return historyLength
  })
  return { tables: await tableDigests(world.owner), histories: await Promise.all(histories) }
}

/**
 * The same once the runs of the moments before rest: a workflow task ends after the outcome of its last
 * moment is stored.
 */
async function restingTraces() {
  for (let last = await traces(); ; ) {
    await sleep(1000)
    const now = await traces()
    if (isDeepStrictEqual(now, last)) return now
    last = now
  }
}

describe('a trial', () => {
  it('asks past moments again of other models, roles, flows and layouts, and leaves no trace', async () => {
    other.script(() => ({ tool: { name: 'summon', args: { content: 'go away' } } }))
    const before = await restingTraces()
    const { summary, lines, told } = await run({
      moments: { being: ['@ada', '@ben'], role: 'host', outcome: 'act' },
      candidates: {
        same: {},
        dear: { model: 'dear' },
        mute: { roles: [MUTE] },
        resident: { flow: [{ role: 'resident' }] },
        stable: { layout: 'stable-first' },
      },
      bars: [
        { candidate: 'same', metric: 'same', atLeast: 1 },
        { candidate: 'mute', metric: 'refused', atMost: 0 },
      ],
    })
    expect(await traces()).toEqual(before)
    expect(told).toMatchObject([
      { moments: MOMENTS, candidates: 5, calls: 5 * MOMENTS, costMax: expect.any(Number) },
    ])
    const { same, dear, mute, resident, stable } = summary.candidates
    expect(same).toMatchObject({ moments: MOMENTS, same: 1, refused: 0 })
    expect(dear).toMatchObject({ same: 0, refused: 0, cost: expect.any(Number), seconds: expect.any(Number) })
    expect(mute).toMatchObject({ refused: 1 })
    expect(resident).toMatchObject({ moments: MOMENTS })
    expect(stable).toMatchObject({ same: 1 })
    expect(lines.map(({ n, being, candidate }) => [being, n, candidate]).slice(0, 6)).toEqual([
      ...['same', 'dear', 'mute', 'resident', 'stable'].map((candidate) => ['ada', 1, candidate]),
      ['ben', 1, 'same'],
    ])
    const of = (name: string) => lines.find(({ candidate }) => candidate === name)
    expect(of('same')?.differs).toEqual([])
    expect(of('dear')?.differs).toEqual(['content'])
    expect(of('stable')?.differs).toEqual(['prompt'])
    expect(of('resident')).toMatchObject({ would: { roles: ['resident'] }, was: { roles: ['host'] } })
    expect(of('mute')).toMatchObject({ would: { verdict: expect.stringMatching(/refused|failed/) } })
    expect(summary.bars.map(({ ok }) => ok)).toEqual([true, false])
    expect(summary.ok).toBe(false)
    expect(summary.stopped).toBeNull()
  })

  it('kept answers are asked for no more, and the same seed draws the same moments', async () => {
    const file = join(folder, 'answers.jsonl')
    const trial = { seed: 5, moments: { sample: 4 }, candidates: { same: {} } }
    const first = KeptAnswers.open(file, false)
    const one = await run(trial, { answers: first })
    first.close()
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"call":"cut`)
    server.reset()
    const again = await run(trial, { answers: KeptAnswers.open(file, true) })
    expect(server.requests).toEqual([])
    expect(again.summary).toMatchObject({ calls: 0, kept: 4, ok: true })
    const plain = (lines: readonly TrialLine[]) => lines.map(({ kept: _, ...line }) => line)
    expect(plain(again.lines)).toEqual(plain(one.lines))
    await expect(run({ ...trial, seed: 6 }, { answers: KeptAnswers.open(file, true) })).rejects.toThrow(
      'kept answers',
    )
  })

  it('scores by code and by a model that judges, one answer and pairs', async () => {
    const module = join(folder, 'polite.mjs')
    writeFileSync(
      module,
      'export default ({ decision }) => ({ score: !JSON.stringify(decision).includes("away") })',
    )
    server.script(() => ({ tool: { name: 'summon', args: { content: 'good day' } } }))
    other.script(({ messages, tools }) => {
      if (tools?.[0]?.function.name !== 'answer')
        return { tool: { name: 'summon', args: { content: 'go away' } } }
      const user = messages.at(-1)?.content ?? ''
      const isFirst = user.indexOf('good day') < user.indexOf('go away')
      return user.includes('[a]')
        ? { tool: { name: 'answer', args: { better: isFirst ? 'a' : 'b', why: 'kind' } } }
        : { tool: { name: 'answer', args: { score: 0.5, why: 'fine' } } }
    })
    const { summary, lines } = await run({
      moments: { last: 6 },
      candidates: { kind: {}, rude: { model: 'dear' } },
      scorers: {
        polite: { module },
        warm: { task: 'How warm is the answer?', model: 'dear' },
        better: { task: 'Which one is kinder?', model: 'dear', against: 'kind' },
      },
      bars: [
        { candidate: 'kind', metric: 'scores.polite', atLeast: 1 },
        { metric: 'scores.polite', atMost: 0.5 },
      ],
    })
    expect(summary.candidates).toMatchObject({
      kind: { scores: { polite: { mean: 1 }, warm: { mean: 0.5, of: 6 }, better: { of: 0 } } },
      rude: { scores: { polite: { mean: 0 }, better: { mean: 0, of: 6 } } },
    })
    expect(lines.at(-1)?.scores.better).toEqual({ score: 0, why: 'kind' })
    expect(summary.bars.map(({ candidate, ok }) => [candidate, ok])).toEqual([
      ['kind', true],
      ['kind', false],
      ['rude', true],
    ])
  })

  it('stays within its limits, and ends cleanly when it is interrupted', async () => {
    const trial = { candidates: { dear: { model: 'dear' } } }
    expect((await run(trial, { maxCalls: 3, concurrency: 1 })).summary).toMatchObject({
      ...{ calls: 3, stopped: 'max-calls', ok: false },
      candidates: { dear: { moments: 3 } },
    })
    const { summary } = await run(trial, { maxCost: 0.001 })
    expect(summary).toMatchObject({ calls: 0, cost: 0, stopped: 'max-cost' })
    const stopping = new AbortController()
    other.script(async () => {
      stopping.abort()
      return { hang: true }
    })
    const stopped = await run(trial, { signal: stopping.signal })
    expect(stopped.summary).toMatchObject({ stopped: 'interrupted', ok: false, moments: MOMENTS })
    await expect(run({ candidates: { x: { model: 'elsewhere' } } })).rejects.toMatchObject({
      code: 'LLM_NOT_CONFIGURED',
    })
    await expect(run({ moments: { role: 'nobody' }, candidates: { x: {} } })).rejects.toMatchObject({
      code: 'MOMENT_NOT_FOUND',
    })
  })
})
