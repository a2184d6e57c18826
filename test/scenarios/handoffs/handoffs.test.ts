import { closeInbox, issueToken, moments, reply, summon } from '@treeos/client'
import type { Json } from '@treeos/core'
import { findOpen } from '@treeos/store'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askedFor, beingOf, doAs, momentOf, tell, until, wakesOf } from '../../support/life.ts'
import { type ModelServer, startModelServer } from '../../support/model-server.ts'
import { PortalWorld } from '../../support/portal.ts'
import { type RelayTask, relay } from '../../support/relay.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import type { World } from '../../support/world.ts'

let model: ModelServer
let at: PortalWorld
let world: World
let ada: OpenAI
beforeAll(async () => {
  model = await startModelServer()
  at = await PortalWorld.start({ extensions: [relay], modelUrl: model.url })
  world = at.world
  const relayed = { cognition: 'scripted', script: 'relay:relayed' }
  for (const name of ['desk', 'billing', 'legal', 'archive', 'gone'])
    await world.birth({ name, ...relayed, role: 'relay:desk' })
  for (const name of ['each', 'all']) await world.birth({ name, ...relayed, role: `relay:${name}` })
  await world.birth({ name: 'deaf', ...relayed, role: 'relay:deaf' })
  for (const name of ['clerk', 'idler']) await world.birth({ name, cognition: 'human', role: 'stage:free' })
  await world.birth({ name: 'speaker', cognition: 'llm', role: 'relay:speaker' })
  await doAs(world, 'end-being', '@gone', {})
  const { secret } = await issueToken({ ...world, person: 'ada' }, { being: 'ada', as: 'ada' })
  ada = new OpenAI({ apiKey: secret, baseURL: `${at.origin}/v1`, maxRetries: 0 })
})
afterAll(async () => {
  await at?.close()
  await model?.close()
})

const SAY: RelayTask = { say: 42 }
const asking = (being: string, to: RelayTask) => ({ ask: `@${being}`, to }) as const
const via = (being: string, to: RelayTask): RelayTask => ({ plan: [asking(being, to), 'answer'] })
const heard = (what: Json) => ({ heard: what })
const told = (event: string, code: string | null = null) => heard({ told: event, code })

/** The question that waits in the inbox of a person. */
const asked = (person: string) =>
  until(async () =>
    (await wakesOf(world, person)).find(({ kind, closedBy }) => kind === 'summon' && closedBy === null),
  )
const answering = async () => {
  const { id, content } = await asked('clerk')
  const { state = null } = content as { state?: Json }
  await reply(
    { ...world, person: 'clerk' },
    { as: 'clerk', correlation: id, content: { heard: 'by hand', state }, waitSeconds: null },
  )
}

interface Shape {
  readonly task: RelayTask
  readonly to?: string
  /** the answer; null for none */
  readonly says: unknown
  /** why there is none */
  readonly code?: string
  /** what a person does meanwhile */
  readonly meanwhile?: () => Promise<unknown>
}

const SHAPES: Readonly<Record<string, Shape>> = {
  'nobody else is asked': { task: SAY, says: heard(42) },
  'a specialist answers': { task: via('billing', SAY), says: heard(42) },
  'three are asked, each by the one before': {
    task: via('legal', via('archive', via('billing', SAY))),
    says: heard(42),
  },
  'two are asked, one after the other': {
    task: { plan: [asking('billing', { say: 1 }), asking('legal', { say: 2 }), 'answer'] },
    says: heard(2),
  },
  'one is asked twice, since it asked back': {
    task: { plan: [asking('billing', { say: 'which one?' }), asking('billing', SAY), 'answer'] },
    says: heard(42),
  },
  'one of them asks the desk itself': {
    task: via('legal', via('billing', via('desk', SAY))),
    says: heard(42),
  },
  'the desk looks before it asks': {
    task: { plan: ['look', asking('billing', SAY), 'answer'] },
    says: heard(42),
  },
  'the desk looks before it answers': {
    task: { plan: [asking('billing', SAY), 'look', 'answer'] },
    says: heard(42),
  },
  'the desk acts before it asks': {
    task: { plan: ['touch', asking('billing', SAY), 'answer'] },
    says: heard(42),
  },
  'the desk acts before it answers': {
    task: { plan: [asking('billing', SAY), 'touch', 'answer'] },
    says: heard(42),
  },
  'the desk turns to itself before it asks': {
    task: { plan: ['turn', asking('billing', SAY), 'answer'] },
    says: heard(42),
  },
  'the desk turns to itself before it answers': {
    task: { plan: [asking('billing', SAY), 'turn', 'answer'] },
    says: heard(42),
  },
  'several are asked at once, and the first answer counts': {
    to: 'each',
    task: { all: [asking('billing', SAY), asking('idler', SAY)] },
    says: heard(42),
  },
  'several are asked at once, and all are heard first': {
    to: 'all',
    task: { all: [asking('billing', SAY), asking('clerk', SAY)] },
    says: expect.objectContaining({ heard: expect.anything() }),
    meanwhile: answering,
  },
  'the specialist fails': { task: via('billing', { fail: true }), says: told('failure', 'INTERNAL') },
  'the specialist asks nobody that there is': {
    task: via('billing', via('nobody', SAY)),
    says: told('failure', 'BEING_NOT_FOUND'),
  },
  'the specialist is silent': { task: via('billing', { silent: true }), says: told('unanswered') },
  'the one whom the specialist asks is silent': {
    task: via('legal', via('billing', { silent: true })),
    says: told('unanswered'),
  },
  'the specialist is skipped': { task: via('deaf', SAY), says: told('unanswered', 'not-triggered') },
  'the specialist has ended': { task: via('gone', SAY), says: null, code: 'BEING_ENDED' },
  'the desk says nothing': {
    task: { plan: [asking('billing', SAY), 'nothing'] },
    says: null,
    code: 'NO_ANSWER',
  },
  'a person is the specialist': { task: via('clerk', SAY), says: heard('by hand'), meanwhile: answering },
  'a person is the specialist, and closes the question': {
    task: via('clerk', SAY),
    says: told('unanswered', 'NO_ANSWER'),
    meanwhile: async () =>
      closeInbox(
        { ...world, person: 'clerk' },
        { as: 'clerk', how: 'dismissed', entries: [(await asked('clerk')).id] },
      ),
  },
}

const answerOf = (content: Json) => {
  const { heard: what } = content as { heard: Json }
  return { heard: what }
}

describe.each(Object.entries(SHAPES))('where %s', (_, { task, to = 'desk', says, code, meanwhile }) => {
  it('the command line is told the answer, or why there is none', async () => {
    const asks = summon(world, {
      ...{
        target: to,
        content: task as unknown as Json,
        as: 'operator',
        waitSeconds: 30,
        requireReply: true,
      },
    }).then(
      ({ reply }) => answerOf(reply!.content),
      (error: { code: string }) => error.code,
    )
    await meanwhile?.()
    expect(await asks).toEqual(says ?? code)
  })

  it('the chat endpoint is told the same', async () => {
    const asks = ada.chat.completions
      .create({ model: `@${to}`, messages: [{ role: 'user', content: JSON.stringify(task) }] })
      .then(
        ({ choices }) => answerOf(JSON.parse(choices[0]!.message.content!) as Json),
        (error: { code: string }) => error.code,
      )
    await meanwhile?.()
    expect(await asks).toEqual(says ?? code)
  })
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
    const hearings = (await moments(world.db, 'all'))
      .filter(({ woke }) => woke?.trigger === 'message')
      .slice(1, 3)
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
    expect(askedFor(model, 'speaker')[1]!.messages[1]!.content).toContain('@operator may be waiting')
  })
})

it('all of it replays, and is unbroken', async () => {
  await expectReplays(world)
  await expectUnbroken(world)
})
