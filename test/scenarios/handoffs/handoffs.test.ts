import { summon } from '@treeos/client'
import type { Json } from '@treeos/core'
import { findOpen } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { askedFor, beingOf, momentOf, tell, until, wakesOf } from '../../support/life.ts'
import { relay } from '../../support/relay.ts'
import { expectReplays } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [relay], modelServer: model })
beforeAll(async () => {
  for (const name of ['desk', 'billing', 'legal', 'archive'])
    await world.birth({ name, cognition: 'scripted', script: 'relay:desk', role: 'relay:desk' })
  await world.birth({ name: 'speaker', cognition: 'llm', role: 'relay:speaker' })
})

const ask = (target: string, content: Json) =>
  summon(world, { target, content, as: 'operator', waitSeconds: 30, requireReply: true })
const SAYS_42 = { ask: '@billing', with: { say: 42 } }

describe('a desk that asks a specialist for its customer', () => {
  it('answers the customer with what it was answered', async () => {
    const { reply } = await ask('desk', SAYS_42)
    expect(reply).toEqual({ from: '@desk', content: { heard: 42 } })
    const { record } = (await findOpen(world.db, 'desk/1/2'))!
    const asked = (await wakesOf(world, 'desk'))[0]!
    expect(record).toMatchObject({
      caller: { name: 'billing' },
      owed: { id: asked.id, caller: { name: 'operator', cognition: 'human' }, hops: asked.hops },
    })
    expect((await wakesOf(world, 'operator')).at(-1)).toMatchObject({ inReplyTo: asked.id, hops: asked.hops })
  })

  it('does so three deep', async () => {
    const { reply } = await ask('desk', { ask: '@legal', with: { ask: '@archive', with: SAYS_42 } })
    expect(reply?.content).toEqual({ heard: { heard: { heard: 42 } } })
  })

  it('keeps the questions of several customers apart, also in one thread', async () => {
    const thread = await tell(world, 'desk', { ask: '@billing', with: { say: 'first' } })
    await momentOf(world, thread)
    const { reply } = await summon(world, {
      ...{ target: 'desk', content: { ask: '@legal', with: { say: 'second' } }, as: 'operator', thread },
      ...{ waitSeconds: 30, requireReply: true },
    })
    expect(reply?.content).toEqual({ heard: 'second' })
    const answers = await until(async () => {
      const found = (await wakesOf(world, 'operator')).filter(
        ({ root, inReplyTo }) => root === thread && inReplyTo !== null,
      )
      return found.length === 2 ? found : null
    })
    expect(new Map(answers.map(({ inReplyTo, content }) => [inReplyTo === thread, content]))).toEqual(
      new Map([
        [true, { heard: 'first' }],
        [false, { heard: 'second' }],
      ]),
    )
  })

  it('answers in prose, to whoever asked first', async () => {
    model.script((request) => {
      const told = request.messages.at(-1)!.content
      if (beingOf(request) !== 'speaker') return undefined
      return told.includes('{"heard"') || told.includes('42')
        ? { content: 'It is 42.' }
        : { tool: { name: 'summon', args: { target: '@billing', content: { say: 42 } } } }
    })
    const { reply } = await ask('speaker', 'What do I owe?')
    expect(reply).toEqual({ from: '@speaker', content: 'It is 42.' })
    expect(askedFor(model, 'speaker')[1]!.messages[1]!.content).toContain('@operator may be waiting')
  })

  it('is told of a specialist that fails, and answers the customer', async () => {
    const { reply } = await ask('desk', { ask: '@billing', with: { ask: '@nobody', with: 0 } })
    expect(reply?.content).toEqual({ told: 'failure', code: 'BEING_NOT_FOUND' })
  })

  it('replays, and verifies offline', () => expectReplays(world))
})
