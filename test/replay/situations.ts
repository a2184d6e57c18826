/** What beings come by, so that recordings of it hold every end of a moment that the workflow tells apart. */

import { setTimeout as sleep } from 'node:timers/promises'
import { act, cancel, inhabit, summon, task } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { taskQueueOf } from '@treeos/core'
import { BEING_VERSION, BEING_WORKFLOW, beingWorkflowId } from '@treeos/protocol'
import { defineExtension, defineSignature, defineTask } from '@treeos/sdk'
import { z } from 'zod'
import {
  beingOf,
  doAs,
  live,
  momentOf,
  play,
  publish,
  ring,
  setFlow,
  setRole,
  tell,
  until,
  wakesOf,
  wakeUp,
} from '../support/life.ts'
import mail from '../support/mail.ts'
import type { ModelServer, Reply } from '../support/model-server.ts'
import type { PostOffice } from '../support/post-office.ts'
import { stage } from '../support/puppet.ts'
import type { World } from '../support/world.ts'

const judge = defineTask({
  name: 'moods:judge',
  description: 'Judges the mood of a text.',
  on: 'being',
  allow: ['self'],
  attempts: 1,
  entry: defineSignature({
    name: 'moods:judge',
    task: 'Say how the text feels.',
    inputs: z.object({ text: z.string().describe('the text') }),
    outputs: z.object({ mood: z.enum(['calm', 'angry']) }),
  }),
})

export const situationExtensions = [
  stage,
  mail,
  defineExtension({ name: 'moods', version: '1.0.0', tasks: [judge] }),
]

const answer = { verb: 'summon', content: 'so it is' }
const doing = (operation: string, args: JsonObject, target?: string): JsonObject => ({
  verb: 'do',
  operation,
  args,
  ...(target === undefined ? {} : { target }),
})

/** Calls of a script, by the end that they come to. */
const CALLS: readonly JsonObject[] = [
  answer,
  doing('set-being', { field: 'mood.is', value: 'merry' }),
  { verb: 'see', address: '/' },
  { verb: 'see', address: '/nowhere' },
  doing('no-such-action', {}),
  doing('set-being', { field: 5, value: null }),
  doing('set-being', { field: 'mood.is', value: 1 }, '@nobody'),
  { verb: 'summon', target: '@nobody', content: 'hello?' },
  { verb: 'do', operation: 'set-being', target: 'not an address!', args: {} },
  { verb: 'be', operation: 'birth', args: { name: 'puppet', cognition: 'llm' } },
  { verb: 'be', operation: 'no-such-operation', args: {} },
  { verb: 'no-such-verb' },
]

/** Answers of a model, by the end that they come to. */
const ANSWERS: Readonly<Record<string, Reply>> = {
  speaks: { tool: { name: 'summon', args: { content: 'so it is' } } },
  silent: { content: 'hm' },
  looks: { tool: { name: 'see', args: { address: '/' } } },
  confused: { tool: { name: 'no-such-tool', args: {} } },
  garbled: { tool: { name: 'summon', args: 'not JSON{' } },
  refused: { status: 422 },
  absent: { status: 500 },
  cut: { reset: 'mid-body' },
  strange: { raw: 'no JSON at all' },
}

/** @param slowMs a model that takes so long decides in an activity of its own */
export async function situations(
  world: World,
  model: ModelServer,
  office: PostOffice,
  slowMs: number,
): Promise<void> {
  const handleOf = (being: string) =>
    world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, being))
  const puppet = (name: string, more: JsonObject = {}) => world.birthPuppet(name, more)
  const mind = (name: string, more: JsonObject = {}) =>
    world.birth({ name, cognition: 'llm', role: 'resident', ...more })

  await doAs(world, 'set-budget', '/', {}) // no pace
  // Scripts: every end of a call, then none, then a role that may do nothing.
  await puppet('puppet')
  for (const call of CALLS) await play(world, 'puppet', call)
  for (const content of ['nothing', { throw: 'a script that dies' }, { return: { kind: 'odd' } }] as Json[])
    await live(world, 'puppet', content)

  // Flows and roles: none that may do something, one of another mind, one that was asked for, one that is not
  // triggered, and a changed world.
  await setRole(world, { name: 'for-minds', requiredCognition: 'llm', prompt: '' })
  await setRole(world, { name: 'store', triggerOn: [], prompt: '' })
  await setRole(world, { name: 'listens', triggerOn: ['message'], canSummon: [{ rel: 'asker' }], prompt: '' })
  const wears = (...flow: readonly JsonObject[]) => setFlow(world, 'puppet', flow)
  await wears({ when: {}, role: 'stage:mute' })
  await play(world, 'puppet', answer)
  await wears({ when: {}, role: 'for-minds' }, { when: {}, role: 'stage:mode-1', stack: true })
  await live(world, 'puppet', 'who are you?')
  await wears({ when: { verb: 'do' }, role: 'stage:mute' })
  await live(world, 'puppet', { call: answer }, { role: 'stage:mute' })
  await wears({ when: {}, role: 'store' })
  await live(world, 'puppet', 'keep this')
  await wears({ when: {}, role: 'listens' })
  await play(world, 'puppet', answer)
  const [event = ''] = await wakeUp(world, 'puppet', ['something happened'])
  await momentOf(world, event)
  await wears({ when: { 'world.weather.condition': 'rain' }, role: 'stage:free' })
  const woken = (await wakesOf(world, 'puppet')).length
  await publish(world, 'weather.condition', 'rain')
  await until(async () => (await wakesOf(world, 'puppet')).length > woken)

  // Minds: every answer, soon and late.
  for (const being of ['quick', 'late']) {
    await mind(being)
    for (const [name, reply] of Object.entries(ANSWERS)) {
      let asked = 0
      model.script(async (request) => {
        if (beingOf(request) !== being) return undefined
        if (being === 'late') await sleep(slowMs)
        return name === 'looks' && asked++ > 0 ? undefined : reply
      })
      await live(world, being, 'what do you say?', { seconds: 90 })
    }
  }
  // One that is asked again, then cancelled, then has no budget left.
  let asked = 0
  await mind('patient')
  model.script((request) =>
    beingOf(request) === 'patient' && asked++ === 0
      ? { status: 429, headers: { 'retry-after': '1' } }
      : undefined,
  )
  await live(world, 'patient', 'and after a while?', { seconds: 60 })
  model.script((request) => (beingOf(request) === 'patient' && asked++ > 0 ? { hang: true } : undefined))
  const hushed = await tell(world, 'patient', 'think')
  await until(() => asked > 2)
  await cancel(world, { as: 'operator', being: 'patient' })
  await momentOf(world, hushed)
  model.reset()
  await doAs(world, 'set-budget', '@patient', { tokens: 1 })
  await live(world, 'patient', 'spend')

  // Effects: one that is done, one that is refused, one that never succeeds, one that is asked again, and a
  // task of a model.
  await puppet('clerk')
  const post = (name: string) => play(world, 'clerk', doing(name, { text: 'a letter' }, '@clerk'))
  await post('mail:post')
  office.moods = [422]
  await post('mail:post')
  office.moods = [503, 503, 503]
  await post('mail:post')
  office.moods = [503]
  await post('mail:post')
  await doAs(world, 'mail:post', '@operator', { text: 'by hand' })
  model.script(() => ({ tool: { name: 'answer', args: { mood: 'calm' } } }))
  await task(world, judge, { as: 'operator', inputs: { text: 'The sea is flat.' } })
  model.script(() => ({ status: 400 }))
  await task(world, judge, { as: 'operator', inputs: { text: 'The sea is flat.' } }).catch(() => undefined)
  model.reset()

  // Persons: acts that are refused, and one who decides for a mind.
  for (const args of [
    { field: 7, value: null },
    { field: 'mood.is', value: 1 },
  ])
    await doAs(world, 'set-being', '@nobody', args as JsonObject).catch(() => undefined)
  await mind('shell', { role: 'stage:free' })
  const inhabitation = await inhabit(world, { being: 'shell', as: 'operator' })
  await act(world, 'shell', {
    verb: 'do',
    operation: 'set-being',
    target: '@shell',
    args: { field: 'a.b', value: 1 },
  })
  await ring(world, 'shell')
  await inhabitation.release()
  await live(world, 'shell', 'are you yourself again?')

  // Silences: armed, broken, passed, spent, and longer than a run.
  await puppet('sitter')
  await doAs(world, 'set-being', '@sitter', { field: 'wake.idle', value: 1 })
  await play(world, 'sitter', answer)
  await until(async () => (await wakesOf(world, 'sitter')).some(({ id }) => id.startsWith('idle/')))
  await doAs(world, 'set-being', '@sitter', { field: 'wake.idle', value: 3 })
  for (let i = 0; i < 30; i++) await live(world, 'sitter', i)
  await until(
    async () => (await wakesOf(world, 'sitter')).filter(({ id }) => id.startsWith('idle/')).length > 1,
  )
  await live(world, 'sitter', 'still there?')

  // A schedule, until it ticked.
  await doAs(world, 'set-schedule', '@sitter', { name: 'bell', everySeconds: 1, content: 'ding' })
  await until(async () => (await wakesOf(world, 'sitter')).some(({ id }) => id.startsWith('schedule/')))
  await doAs(world, 'delete-schedule', '@sitter', { name: 'bell' })

  // Lives: ended in the middle of a moment and begun again, ended for good, and one whose acts come by
  // signals.
  await mind('reborn')
  let calls = 0
  model.script((request) => (beingOf(request) === 'reborn' && calls++ === 0 ? { hang: true } : undefined))
  await tell(world, 'reborn', 'think hard')
  await until(() => calls === 1)
  await sleep(2 * slowMs)
  await handleOf('reborn').terminate('part of the scene')
  await momentOf(world, await tell(world, 'reborn', 'and then?'), 60)
  model.reset()
  await puppet('elder')
  await live(world, 'elder', 'look')
  const hand = await inhabit(world, { being: 'elder', as: 'operator' })
  const late = await tell(world, 'elder', 'are you there?')
  await doAs(world, 'end-being', '@elder', {})
  await momentOf(world, late)
  await hand.release().catch(() => undefined)
  await until(async () => (await handleOf('elder').describe()).status.name === 'COMPLETED')
  for (const what of [
    { verb: 'summon', target: '@puppet', content: 'by signal' },
    { verb: 'no such verb' },
    5,
  ])
    await handleOf('operator').signal('act', what)
  await until(async () => (await wakesOf(world, 'puppet')).some(({ content }) => content === 'by signal'))

  // A line before one being, so that its run fills.
  await puppet('busy')
  await world.temporal.workflow.start(BEING_WORKFLOW, {
    workflowId: beingWorkflowId(world.reality.name, 'busy'),
    taskQueue: taskQueueOf(world.reality.name),
    args: [{ reality: world.reality.name, being: 'busy', version: BEING_VERSION, historyEventsMax: 80 }],
  })
  const line: string[] = []
  for (let i = 0; i < 40; i++) line.push(await tell(world, 'busy', { call: answer }))
  for (const wake of line) await momentOf(world, wake, 120)
  // A summons that lapses: its thread is cut while its being thinks of something else.
  await mind('absorbed')
  let thinks = false
  model.script(async (request) => {
    if (beingOf(request) !== 'absorbed') return undefined
    thinks = true
    await sleep(4 * slowMs)
    return undefined
  })
  await tell(world, 'absorbed', 'think')
  await until(() => thinks)
  const { correlation } = await summon(world, {
    target: 'absorbed',
    content: 'go on',
    as: 'operator',
    waitSeconds: null,
  })
  await act(world, 'operator', {
    verb: 'do',
    operation: 'cut-thread',
    target: `thread:${correlation}`,
    args: {},
  })
  await momentOf(world, correlation).catch(() => undefined)
  model.reset()
}
