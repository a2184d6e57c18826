/** A model that gives no answer, another one that stands in for it, and the signal that flows react to. */
import { budget, explain, moments, readSignals, summon } from '@treeos/client'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { askedFor, doAs, play, until, wakesOf } from '../../support/life.ts'
import { type ModelServer, type Reply, startModelServer } from '../../support/model-server.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const [first, second] = await Promise.all([startModelServer(), startModelServer()])
afterAll(() => Promise.all([first.close(), second.close()]))
const world = useWorld({
  extensions: [stage],
  connections: { first: { url: first.url, fallbacks: ['second'] }, second: second.url },
})
const USAGE = { prompt_tokens: 40, completion_tokens: 2 }
const AWAY: Reply = { status: 503, body: { error: { message: 'overloaded' } } }
const says = (content: string): Reply => ({ tool: { name: 'summon', args: { content } }, usage: USAGE })
const always = (server: ModelServer, reply: Reply) => server.script(() => reply)

beforeEach(() => {
  always(first, says('It is the first.'))
  always(second, says('It is the second.'))
})

const born = (name: string) => world.birth({ name, cognition: 'llm', role: 'resident', connection: 'first' })
const ask = (target: string) =>
  summon(world, { target, content: 'Who is it?', as: 'operator', waitSeconds: 30, requireReply: true })
const reply = async (target: string) => (await ask(target)).reply?.content
const isDown = async () => (await readSignals(world.db, ['model', 'first', 'down'])) === true
/** The attempts of a moment that gave no answer. */
const losses = (being: string, n: number) =>
  until(async () => {
    const { faults } = await explain(world.db, being, n)
    return faults.length > 0 && faults.map(({ attempt, message }) => ({ attempt, message }))
  })

describe('a model with a fallback', () => {
  it('is asked alone while it answers', async () => {
    await born('ann')
    expect(await reply('ann')).toBe('It is the first.')
    expect(askedFor(second, 'ann')).toEqual([])
  })

  it('is followed by the next one in the same moment; the attempt is recorded, and costs nothing', async () => {
    await born('bo')
    await doAs(world, 'set-budget', '@bo', { tokens: 100_000, per: 'total' })
    always(first, AWAY)
    expect(await reply('bo')).toBe('It is the second.')
    expect(await losses('bo', 1)).toEqual([{ attempt: 1, message: 'first: model answered 503' }])
    expect(await moments(world.db, 'bo')).toHaveLength(1)
    expect((await budget(world, 'bo')).used).toMatchObject({ tokens: 42 })
  })
})

describe('the signal model.<connection>.down', () => {
  it('says that a model is down, wakes whoever watches it, and the model is asked last', async () => {
    await world.birth({
      name: 'watch',
      cognition: 'scripted',
      script: 'silent',
      role: 'resident',
      roleFlow: [{ stack: true, when: { 'world.model.first.down': true }, role: 'stage:mode-1' }],
    })
    await born('dora')
    always(first, AWAY)
    await ask('dora')
    await until(isDown)
    const [moment] = await until(async () => {
      const lived = await moments(world.db, 'watch')
      return lived.length > 0 && lived
    })
    expect(moment).toMatchObject({ stacked: ['stage:mode-1'], outcome: 'see' })
    const [wake] = await wakesOf(world, 'watch')
    expect(wake).toMatchObject({
      content: { event: 'changed', what: 'world.model.first.down', value: true },
      caller: null,
      hops: 0,
    })
    const before = first.requests.length
    expect(await reply('dora')).toBe('It is the second.')
    expect(first.requests.length).toBe(before)
  })

  it('ends when it answers again, also as the last one', async () => {
    await born('emma')
    always(second, AWAY)
    expect(await reply('emma')).toBe('It is the first.')
    await until(async () => !(await isDown()))
    expect(await losses('emma', 1)).toEqual([{ attempt: 1, message: 'second: model answered 503' }])
  })

  it('is said at once where the provider refuses every call', async () => {
    await born('finn')
    always(first, { status: 401, body: {} })
    expect(await reply('finn')).toBe('It is the second.')
    await until(isDown)
    const message = 'first: model answered 401: check the key of the model connection first'
    expect(await losses('finn', 1)).toEqual([{ attempt: 1, message }])
  })

  it('belongs to TreeOS: no being publishes it', async () => {
    await world.birthPuppet('liar')
    const call = {
      verb: 'do',
      operation: 'set-world-signal',
      target: '/',
      args: { namespace: 'model', key: 'first.down', value: true },
    }
    expect(await play(world, 'liar', call)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  })
})

describe('when none answers', () => {
  it('the moment fails, and says of each model what it did', async () => {
    await born('gus')
    always(first, { status: 500, body: {} })
    always(second, AWAY)
    await expect(ask('gus')).rejects.toMatchObject({
      code: 'LLM_FAILED',
      message: expect.stringMatching(/second: model answered 503 twice.*model answered 500 twice/),
    })
    expect((await losses('gus', 1)).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4])
  })
})

it('every moment replays, and nothing is broken', async () => {
  await expectReplays(world)
  await expectUnbroken(world)
})
