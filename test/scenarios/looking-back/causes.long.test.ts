/**
 * Why a moment failed: in the outcome, in the worker's log, and for the operator in `explain`. Never in
 * history.
 */
import { explain, moments } from '@treeos/client'
import { beingWorkflowId } from '@treeos/protocol'
import { defineExtension, defineOperation } from '@treeos/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { askedFor, beingOf, doAs, live, rowOf, setRole } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const SENTINEL = 'SENTINEL-c4'

let burning = 0
const burn = defineOperation({
  name: 'fire:burn',
  description: 'Burns.',
  on: 'being',
  allow: ['self', 'operator'],
  args: z.object({}),
  effect: {
    timeoutSeconds: 2,
    attempts: 3,
    async perform() {
      burning += 1
      throw new Error(`the office burned ${SENTINEL}`, { cause: new Error('a candle fell') })
    },
  },
  decide: () => ({ facts: [] }),
})
const stumble = defineOperation({
  name: 'fire:stumble',
  description: 'Stumbles.',
  on: 'being',
  allow: ['self', 'operator'],
  args: z.object({}),
  decide() {
    throw new TypeError(`nothing to stand on ${SENTINEL}`)
  },
})
const fire = defineExtension({
  name: 'fire',
  version: '1.0.0',
  operations: [burn, stumble],
  scripts: {
    'fire:fall': () => {
      throw new RangeError(`too far ${SENTINEL}`)
    },
  },
})

const model = useModelServer()
const other = useModelServer()
const connections: Record<string, string> = {}
const world = useWorld({ extensions: [stage, fire], modelServer: model, connections })
beforeAll(async () => {
  await setRole(world, {
    name: 'talker',
    canSee: ['~'],
    canDo: [{ pattern: '*' }],
    canSummon: [{ rel: 'asker' }],
    prompt: '',
  })
})

const faultsOf = async (being: string, n: number) => (await explain(world.db, being, n)).faults
const lastOf = async (being: string) => (await moments(world.db, being)).at(-1)!

async function historyOf(being: string): Promise<string> {
  const handle = world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, being))
  const texts: string[] = []
  const history = await handle.fetchHistory()
  // Payloads are bytes: they are read as text, too.
  JSON.stringify(history, (_key, value) => {
    if (value instanceof Uint8Array) texts.push(Buffer.from(value).toString('utf8'))
    else if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts.join('\n')
}

describe('causes are kept', () => {
  it('"model answered 500 four times": in the outcome, the log and explain; what the provider said is nowhere', async () => {
    await world.birth({ name: 'ann', cognition: 'llm', role: 'talker' })
    model.script((request) =>
      beingOf(request) === 'ann' ? { status: 500, body: { error: { message: SENTINEL } } } : undefined,
    )
    const moment = await live(world, 'ann', 'hello')
    model.reset()
    expect(moment).toMatchObject({ outcome: 'failure', reason: 'LLM_FAILED' })
    expect(moment.message).toMatch(/^model answered 500 four times in \d+ s$/)
    const faults = await faultsOf('ann', moment.n)
    expect(faults.map(({ part, attempt, message }) => [part, attempt, message])).toEqual(
      [1, 2, 3, 4].map((attempt) => ['model', attempt, 'model answered 500']),
    )
    expect(world.faults.filter(({ moment }) => moment.startsWith('ann/'))).toHaveLength(4)
    const history = await historyOf('ann')
    expect(history).toContain('model answered 500') // the attempts that Temporal was told of
    expect(history + JSON.stringify([faults, world.faults, moment])).not.toContain(SENTINEL)
  })

  it('an error of a `decide`: its message and stack in the log and in explain, its class in the outcome', async () => {
    await expect(doAs(world, 'fire:stumble', '@operator', {})).rejects.toThrow(
      'operation fire:stumble of extension fire threw TypeError',
    )
    const moment = await lastOf('operator')
    expect(moment.message).not.toContain(SENTINEL)
    const [fault, ...more] = await faultsOf('operator', moment.n)
    expect(more).toEqual([])
    expect(fault).toMatchObject({ part: 'decide', message: `TypeError: nothing to stand on ${SENTINEL}` })
    expect(fault?.stack).toMatch(/causes\.test\.ts/)
    expect(world.faults.at(-1)).toMatchObject({
      part: 'decide',
      message: fault?.message,
      stack: fault?.stack,
    })
  })

  it('the real cause of a failed effect is in the outcome and the log, and not in history', async () => {
    await expect(doAs(world, 'fire:burn', '@operator', {})).rejects.toMatchObject({
      code: 'INTERNAL',
      message: `the effect of fire:burn failed in all of its 3 attempts, and may have happened nevertheless: Error: the office burned ${SENTINEL}: a candle fell`,
    })
    expect(burning).toBe(3)
    const faults = await faultsOf('operator', (await lastOf('operator')).n)
    expect(faults.map(({ part, attempt }) => [part, attempt])).toEqual([
      ['effect', 1],
      ['effect', 2],
      ['effect', 3],
    ])
    expect(faults[0]?.stack).toMatch(/causes\.test\.ts/)
    expect(await historyOf('operator')).not.toContain(SENTINEL)
  })

  it('an error of a script has its stack in explain', async () => {
    await world.birth({ name: 'faller', cognition: 'scripted', script: 'fire:fall', role: 'talker' })
    const moment = await live(world, 'faller', 'jump')
    expect(moment).toMatchObject({ outcome: 'failure', message: `script "fire:fall": too far ${SENTINEL}` })
    expect(await faultsOf('faller', moment.n)).toMatchObject([
      {
        part: 'script',
        message: `RangeError: too far ${SENTINEL}`,
        stack: expect.stringMatching(/causes\.test\.ts/),
      },
    ])
    expect(await historyOf('faller')).not.toContain(SENTINEL)
  })

  it('a moment without an error has none', async () => {
    await world.birth({ name: 'calm', cognition: 'llm', role: 'talker' })
    const { n, outcome } = await live(world, 'calm', 'hello')
    expect(outcome).toBe('act')
    expect(await faultsOf('calm', n)).toEqual([])
  })
})

it('Retry-After is heeded: the next attempt comes no sooner, and not much later', async () => {
  await world.birth({ name: 'patient', cognition: 'llm', role: 'talker' })
  const asked: number[] = []
  model.script((request) => {
    if (beingOf(request) !== 'patient') return undefined
    asked.push(performance.now())
    return asked.length === 1 ? { status: 429, headers: { 'retry-after': '2' } } : undefined
  })
  expect(await live(world, 'patient', 'hello')).toMatchObject({ outcome: 'act' })
  model.reset()
  const waited = asked[1]! - asked[0]!
  expect(waited).toBeGreaterThanOrEqual(2000)
  expect(waited).toBeLessThan(15_000)
})

describe('a model connection of one\u2019s own', () => {
  beforeAll(async () => {
    connections.judge = other.url
    await world.stopWorker()
    await world.startWorker()
    await world.birth({ name: 'judge', cognition: 'llm', role: 'talker', connection: 'judge' })
    await world.birth({ name: 'clerk', cognition: 'llm', role: 'talker' })
  })
  const asks = async (being: string) => {
    model.reset()
    other.reset()
    const moment = await live(world, being, 'well?')
    return { moment, main: askedFor(model, being).length, own: askedFor(other, being).length }
  }

  it('is given at birth by name; others use the default of the reality', async () => {
    expect((await rowOf(world, 'judge')).qualities).toEqual({ llm: { connection: 'judge' } })
    expect(await asks('judge')).toMatchObject({ moment: { outcome: 'act' }, main: 0, own: 1 })
    expect(await asks('clerk')).toMatchObject({ moment: { outcome: 'act' }, main: 1, own: 0 })
  })

  it('is set and unset as a quality', async () => {
    await doAs(world, 'set-being', '@clerk', { field: 'llm.connection', value: 'judge' })
    expect(await asks('clerk')).toMatchObject({ main: 0, own: 1 })
    await doAs(world, 'set-being', '@clerk', { field: 'llm.connection', value: null })
    expect(await asks('clerk')).toMatchObject({ main: 1, own: 0 })
  })

  it('with an unknown name is a failure that says so, and no other model is asked', async () => {
    await doAs(world, 'set-being', '@clerk', { field: 'llm.connection', value: 'gone' })
    expect(await asks('clerk')).toMatchObject({
      moment: {
        outcome: 'failure',
        reason: 'LLM_NOT_CONFIGURED',
        message:
          '@clerk uses the model connection "gone", which this worker does not have; it has judge: add it to the file of TREEOS_MODELS, then restart',
      },
      main: 0,
      own: 0,
    })
    await doAs(world, 'set-being', '@clerk', { field: 'llm.connection', value: null })
  })

  it.each([
    ['another field', { field: 'llm.key', value: 'sk-1' }, 'INVALID_INPUT'],
    ['no name', { field: 'llm.connection', value: 'https://host/v1' }, 'INVALID_INPUT'],
    ['the whole namespace', { field: 'llm', value: { connection: 'judge' } }, 'INVALID_INPUT'],
  ])('refuses %s', async (_, args, code) => {
    await expect(doAs(world, 'set-being', '@clerk', args)).rejects.toMatchObject({ code })
  })

  it('is not chosen by the being itself', async () => {
    const call = {
      verb: 'do',
      operation: 'set-being',
      target: '@clerk',
      args: { field: 'llm.connection', value: 'judge' },
    }
    model.script((request) =>
      beingOf(request) === 'clerk' ? { tool: { name: 'do', args: { ...call, verb: undefined } } } : undefined,
    )
    expect(await live(world, 'clerk', 'choose')).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
      message: expect.stringContaining('does not choose its own model'),
    })
    model.reset()
  })

  it('is only for a being with a model', async () => {
    await expect(
      world.birth({ name: 'bob', cognition: 'human', role: 'talker', connection: 'judge' }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})

it('all of it replays, and no chain is broken', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})
