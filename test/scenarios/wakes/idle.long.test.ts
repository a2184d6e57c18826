import { setTimeout as sleep } from 'node:timers/promises'
import { act } from '@treeos/client'
import { type Json, type JsonObject, newWake, PRIORITIES } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'
import { defineExtension } from '@treeos/sdk'
import { enqueue } from '@treeos/store'
import { expect, it } from 'vitest'
import { handWorker } from '../../support/by-hand.ts'
import { live, momentOf, play, until, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

/** Acts at every wake, so that its idle timer starts again each time. */
const restless = defineExtension({
  name: 'restless',
  version: '1.0.0',
  scripts: {
    'restless:hum': () => ({
      kind: 'call',
      call: { verb: 'do', operation: 'set-being', target: null, args: { field: 'hum.on', value: true } },
      content: null,
    }),
  },
})

const world = useWorld({ extensions: [stage, restless] })

const BORED = [{ stack: true, when: { 'time.sinceLastMoment': { gte: 1 } }, role: 'stage:mode-1' }]
const birth = (name: string, more: JsonObject = {}) => world.birthPuppet(name, { roleFlow: BORED, ...more })
const setIdle = (being: string, value: Json) =>
  act(world, 'operator', {
    verb: 'do',
    operation: 'set-being',
    target: `@${being}`,
    args: { field: 'wake.idle', value },
  })
const idleWakes = async (being: string) =>
  (await wakesOf(world, being)).filter(({ id }) => id.startsWith('idle/'))
const answer = { verb: 'summon', content: 'here' }

it('after so much silence a being wakes by itself, once, and its flow sees how long it was', async () => {
  await birth('sitter')
  await play(world, 'sitter', answer)
  await setIdle('sitter', 1)
  const [wake] = await until(async () =>
    (await idleWakes('sitter')).length > 0 ? idleWakes('sitter') : null,
  )
  expect(wake).toMatchObject({ content: { event: 'idle', actor: '@sitter', seconds: 1 }, caller: null })
  expect(await momentOf(world, wake!.id)).toMatchObject({ outcome: 'see', stacked: ['stage:mode-1'] })
  await sleep(2500)
  expect(await idleWakes('sitter')).toHaveLength(1)
})

it('a wake from outside begins a new silence', async () => {
  await live(world, 'sitter', 'are you there?')
  await until(async () => (await idleWakes('sitter')).length === 2)
})

it('an act of its own begins a new silence, so that a restless being wakes again and again', async () => {
  await birth('hummer', { script: 'restless:hum' })
  await setIdle('hummer', 1)
  await until(async () => (await idleWakes('hummer')).length >= 3)
  await setIdle('hummer', null)
  await sleep(1500)
  const hummed = (await idleWakes('hummer')).length
  await sleep(2000)
  expect(await idleWakes('hummer')).toHaveLength(hummed)
})

it('a silence whose length was changed as it ended wakes nobody, and holds nothing up', async () => {
  await birth('changed')
  await setIdle('changed', 3600)
  await live(world, 'changed', 'hm')
  const input = { being: 'changed', generation: 1, n: 9, program: null, room: 1 }
  const { value } = await handWorker(world).liveMoments(input, { heard: 1, idleSeconds: 7 })
  expect(value).toEqual({ lived: [], stop: expect.objectContaining({ resting: true, idleSeconds: 3600 }) })
  expect(await idleWakes('changed')).toEqual([])
  // Control: Postgres takes no such wake from a worker.
  const content = { event: 'idle', actor: '@changed', seconds: 7 }
  const id = 'idle/changed/1/9'
  const late = newWake({ id, being: 'changed', kind: 'event', priority: PRIORITIES.background, content })
  await expect(enqueue(world.workerDb, 'event', late)).rejects.toMatchObject({ code: '42501' })
})

it('a doorbell that nothing stands behind does not begin another', async () => {
  await birth('dozer')
  await setIdle('dozer', 1)
  await until(async () => (await idleWakes('dozer')).length === 1)
  const handle = world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, 'dozer'))
  for (let i = 0; i < 3; i++) await handle.signal('wake')
  await sleep(2500)
  expect(await idleWakes('dozer')).toHaveLength(1)
})

it('a fraction of seconds is refused, and so is a person', async () => {
  await birth('vague')
  for (const value of [0, -1, 0.5, '1', { in: 1 }]) {
    await setIdle('vague', value)
    await live(world, 'vague', 'hm')
  }
  await world.birth({ name: 'ann', cognition: 'human', role: 'stage:free' })
  await setIdle('ann', 1)
  await sleep(2000)
  expect([...(await idleWakes('vague')), ...(await idleWakes('ann'))]).toEqual([])
})

it('every moment replays, with its timers', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})
