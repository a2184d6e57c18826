/** Hand-offs by each door, without faults; killed.long.test.ts does the same while workers are killed. */
import { moments, summon } from '@treeos/client'
import type { Json } from '@treeos/core'
import { findOpen } from '@treeos/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askedFor, beingOf, momentOf, tell, until, wakesOf } from '../../support/life.ts'
import { type ModelServer, startModelServer } from '../../support/model-server.ts'
import { IS_NIGHT } from '../../support/night.ts'
import type { RelayTask } from '../../support/relay.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import type { World } from '../../support/world.ts'
import { DOORS, HandOffWorld } from './hand-off-world.ts'
import { askShape, dueOf, newMark, SHAPES } from './shapes.ts'

let model: ModelServer
let here: HandOffWorld
let world: World
beforeAll(async () => {
  model = await startModelServer()
  here = await HandOffWorld.start({ modelUrl: model.url })
  world = here.world
  await world.birth({ name: 'speaker', cognition: 'llm', role: 'relay:speaker' })
})
afterAll(async () => {
  await here?.close()
  await model?.close()
})

const SAY: RelayTask = { say: 42 }
const via = (being: string, to: RelayTask): RelayTask => ({ plan: [{ ask: `@${being}`, to }, 'answer'] })
const heard = (what: Json) => ({ heard: what })
const answerOf = (content: Json) => {
  const { heard: what } = content as { heard: Json }
  return { heard: what }
}

// By day each shape has one of the doors, in turn.
const shapes = Object.entries(SHAPES).map(
  ([name, shape], at) => [name, shape, IS_NIGHT ? DOORS : [DOORS[at % DOORS.length]!]] as const,
)

describe.each(shapes)('where %s', (_, shape, doors) => {
  it.concurrent.each(doors)(
    'whoever asked by the door %s hears of it once, and nobody else does',
    async (door) => {
      const mark = newMark()
      expect(await askShape(here, shape, { door, mark })).toEqual(dueOf(shape, mark))
    },
  )
})

describe('a desk that asks a specialist for its customer', () => {
  const ask = (target: string, content: Json) =>
    summon(world, { target, content, as: 'operator', waitSeconds: 30, requireReply: true })

  it('is about the question of its customer, as its open record says, and answers as deep as that', async () => {
    const { correlation } = await ask('desk', via('billing', SAY) as unknown as Json)
    const { n } = (await moments(world.db, 'desk')).at(-1)!
    const { record } = (await findOpen(world.db, `desk/1/${n}`))!
    const question = (await wakesOf(world, 'desk')).find(({ id }) => id === correlation)!
    expect(record).toMatchObject({
      caller: { name: 'billing' },
      owed: { id: correlation, caller: { name: 'operator', cognition: 'human' }, hops: question.hops },
    })
    const answers = (await wakesOf(world, 'operator')).filter(({ inReplyTo }) => inReplyTo === correlation)
    expect(answers).toMatchObject([{ hops: question.hops }])
  })

  it('calls no mind for the first of several answers, where its role waits for all', async () => {
    const before = (await moments(world.db, 'all')).length
    await ask('all', { all: ['@billing', '@legal'].map((ask) => ({ ask, to: SAY })) } as unknown as Json)
    const hearings = (await moments(world.db, 'all'))
      .slice(before + 1)
      .filter(({ woke }) => woke?.trigger === 'message')
    expect(hearings.map(({ outcome, did }) => [outcome, did?.target])).toEqual([
      ['see', undefined],
      ['act', '@operator'],
    ])
  })

  it('keeps the questions of several customers apart, also in one thread', async () => {
    const thread = await tell(world, 'desk', via('billing', { say: 'first' }) as unknown as Json)
    await momentOf(world, thread)
    const { reply } = await summon(world, {
      ...{
        target: 'desk',
        content: via('legal', { say: 'second' }) as unknown as Json,
        as: 'operator',
        thread,
      },
      ...{ waitSeconds: 30, requireReply: true },
    })
    expect(answerOf(reply!.content)).toEqual(heard('second'))
    const [first] = await until(async () => {
      const found = (await wakesOf(world, 'operator')).filter(({ inReplyTo }) => inReplyTo === thread)
      return found.length === 1 ? found : null
    })
    expect(answerOf(first!.content)).toEqual(heard('first'))
  })

  it('answers in prose, to whoever asked first', async () => {
    model.script((request) => {
      if (beingOf(request) !== 'speaker') return undefined
      return request.messages.at(-1)!.content.includes('42')
        ? { content: 'It is 42.' }
        : { tool: { name: 'summon', args: { target: '@billing', content: { say: 42 } } } }
    })
    const { reply } = await ask('speaker', 'What do I owe?')
    expect(reply).toEqual({ from: '@speaker', content: 'It is 42.' })
    expect(askedFor(model, 'speaker')[1]!.messages[0]!.content).toContain('@operator waits for your answer')
  })
})

it('all of it replays, and is unbroken', async () => {
  await expectReplays(world)
  await expectUnbroken(world)
})
