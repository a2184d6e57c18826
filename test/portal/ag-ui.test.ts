/** Beings as agents of AG-UI 1.0: its public client speaks to them, unmodified. */
import { type BaseEvent, EventType, HttpAgent, type Interrupt } from '@ag-ui/client'
import { issueToken, moments, see } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createSpace, doAs, setRole } from '../support/life.ts'
import { PortalWorld } from '../support/portal.ts'
import { useModelServer } from '../support/use-world.ts'

const model = useModelServer()
let at: PortalWorld
const tokens = new Map<BeingName, string>()
beforeAll(async () => {
  at = await PortalWorld.start({ modelUrl: model.url })
  await setRole(at.world, {
    name: 'clerk',
    prompt: 'You keep the till.',
    canDo: ['create-space'],
    canSee: ['/till'],
    canSummon: [{ rel: 'asker' }],
    prose: 'answers',
    selfContinue: 'until-answered',
  })
  await createSpace(at.world, '/till')
  await at.world.birth({ name: 'clerk', cognition: 'llm', role: 'clerk', home: '/till' })
  for (const being of ['ada', 'bob']) {
    const { secret } = await issueToken({ ...at.world, person: being }, { being, as: being })
    tokens.set(being, secret)
  }
})
afterAll(() => at?.close())
afterEach(() => model.reset())

function agentOf(being: BeingName, target: string, threadId: string): HttpAgent {
  const headers = { authorization: `Bearer ${tokens.get(being)}` }
  return new HttpAgent({ url: `${at.origin}/ag-ui/${target}`, headers, threadId })
}

let count = 0
const says = (agent: HttpAgent, content: string) =>
  agent.addMessage({ id: `m${count++}`, role: 'user', content })

/** Runs an agent. @returns its events, and the words of the answer */
async function run(agent: HttpAgent, more: object = {}) {
  const events: BaseEvent[] = []
  await agent.runAgent(more, { onEvent: ({ event }) => void events.push(event) })
  const words = agent.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
  return { events, types: events.map(({ type }) => type), words }
}

it('a run says the last words of the user, and the answer comes as one message; the conversation is one thread', async () => {
  const agent = agentOf('ada', '@kid', 'talk')
  says(agent, 'hello')
  const first = await run(agent)
  expect(first.words).toEqual(['hello'])
  expect(first.types).toEqual([
    EventType.RUN_STARTED,
    EventType.TEXT_MESSAGE_START,
    EventType.TEXT_MESSAGE_CONTENT,
    EventType.TEXT_MESSAGE_END,
    EventType.STATE_SNAPSHOT,
    EventType.RUN_FINISHED,
  ])
  const { thread } = agent.state as { thread: string }
  says(agent, 'again')
  expect((await run(agent)).words).toEqual(['hello', 'again'])
  expect(agent.state).toEqual({ being: '@kid', thread })
  const other = agentOf('ada', '@kid', 'other talk')
  says(other, 'hello')
  await run(other)
  expect((other.state as { thread: string }).thread).not.toBe(thread)
})

it('a run that is sent again says nothing twice', async () => {
  const agent = agentOf('ada', '@kid', 'repeated')
  says(agent, 'once')
  await run(agent)
  const before = (await moments(at.world.db, 'kid')).length
  expect((await run(agent)).types.at(-1)).toBe(EventType.RUN_FINISHED)
  expect((await moments(at.world.db, 'kid')).length).toBe(before)
})

it('the words of a model come while it writes them', async () => {
  const gate = Promise.withResolvers<void>()
  const streamed = { before: (piece: number) => (piece === 4 ? gate.promise : undefined) }
  model.script([{ content: 'The till is closed until nine in the morning.', streamed }])
  const agent = agentOf('ada', '@clerk', 'words')
  says(agent, 'Is it open?')
  let deltas = 0
  await agent.runAgent(
    {},
    {
      onTextMessageContentEvent() {
        deltas += 1
        gate.resolve() // the model goes on once its first words were heard
      },
    },
  )
  expect(agent.messages.at(-1)?.content).toBe('The till is closed until nine in the morning.')
  expect(deltas).toBeGreaterThan(1)
})

it('a yes that the being waits for is an interrupt, which its person answers on the page, and the next run goes on', async () => {
  const ask = { requires: ['anyone'], ask: { who: ['@ada'], within: 600 } }
  await doAs(at.world, 'set-space', '/till', { field: 'permissions.do', value: { 'create-space': ask } })
  model.script([
    { tool: { name: 'do', args: { operation: 'create-space', args: { path: '/till/drawer' } } } },
    { content: 'The drawer is there.' },
  ])
  const agent = agentOf('ada', '@clerk', 'yes')
  says(agent, 'Make a drawer.')
  const asked = await run(agent)
  const finished = asked.events.at(-1) as BaseEvent & { outcome: { type: string; interrupts: Interrupt[] } }
  expect(finished).toMatchObject({ type: EventType.RUN_FINISHED, outcome: { type: 'interrupt' } })
  const [interrupt] = finished.outcome.interrupts
  expect(interrupt).toMatchObject({
    reason: 'approval',
    message: expect.stringContaining(`${at.origin}/inbox`),
    metadata: { call: { operation: 'create-space', args: { path: '/till/drawer' } } },
  })
  expect((await see(at.world, 'operator', '/till')).children).toEqual([])
  const resumed = { interruptId: interrupt!.id, status: 'resolved' as const }
  const refused = await run(agent, { resume: [{ ...resumed, payload: { approve: true } }] })
  expect(refused.events.at(-1)).toMatchObject({ type: EventType.RUN_ERROR, code: 'FORBIDDEN' })
  expect((await see(at.world, 'operator', '/till')).children).toEqual([])
  await doAs({ ...at.world, person: 'ada' }, 'approve', '@ada', { id: interrupt!.id }, 'ada')
  const done = await run(agent, { resume: [resumed] })
  expect((await see(at.world, 'operator', '/till')).children).toHaveLength(1)
  expect(done.words.at(-1)).toBe('The drawer is there.')
  expect(done.types.at(-1)).toBe(EventType.RUN_FINISHED)
})

it('a call is told while the being goes on, before the words of its answer', async () => {
  const anyone = { 'create-space': { requires: ['anyone'] } }
  await doAs(at.world, 'set-space', '/till', { field: 'permissions.do', value: anyone })
  const gate = Promise.withResolvers<void>()
  const streamed = { before: (piece: number) => (piece === 0 ? gate.promise : undefined) }
  model.script([
    { tool: { name: 'do', args: { operation: 'create-space', args: { path: '/till/box' } } } },
    { content: 'The box is there.', streamed },
  ])
  const agent = agentOf('ada', '@clerk', 'live')
  says(agent, 'Make a box.')
  const types: string[] = []
  await agent.runAgent(
    {},
    {
      onEvent({ event }) {
        types.push(event.type)
        if (event.type === EventType.TOOL_CALL_RESULT) gate.resolve() // the model answers once the call was told
      },
    },
  )
  expect(types).toEqual([
    EventType.RUN_STARTED,
    ...[
      EventType.TOOL_CALL_START,
      EventType.TOOL_CALL_ARGS,
      EventType.TOOL_CALL_END,
      EventType.TOOL_CALL_RESULT,
    ],
    EventType.TEXT_MESSAGE_START,
    ...Array(types.filter((type) => type === EventType.TEXT_MESSAGE_CONTENT).length).fill(
      EventType.TEXT_MESSAGE_CONTENT,
    ),
    EventType.TEXT_MESSAGE_END,
    EventType.STATE_SNAPSHOT,
    EventType.RUN_FINISHED,
  ])
  const result = agent.messages.find(({ role }) => role === 'tool')
  expect(result?.content).toContain('/till/box')
  expect(agent.messages.at(-1)?.content).toBe('The box is there.')
})

it('refusals are errors of the run, and without a token nothing is there', async () => {
  const agent = agentOf('bob', '@kid', 'refused')
  says(agent, 'hello')
  const heard: BaseEvent[] = []
  await agent.runAgent({}, { onEvent: ({ event }) => void heard.push(event) }).catch(() => undefined)
  expect(heard.at(-1)).toMatchObject({ type: EventType.RUN_ERROR, code: 'FORBIDDEN' })
  const headers = { authorization: 'Bearer wrong', 'content-type': 'application/json' }
  const stranger = await fetch(`${at.origin}/ag-ui/@kid`, { method: 'POST', headers, body: '{}' })
  expect(stranger.status).toBe(401)
})
