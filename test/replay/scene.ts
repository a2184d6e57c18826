import { setTimeout as sleep } from 'node:timers/promises'
import { act, inbox, reply } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { ACT_SIGNAL, BEING_WORKFLOW, beingWorkflowId, taskQueueOf } from '@treeos/protocol'
import { beingOf, live, momentOf, play, tell, until, wakesOf } from '../support/life.ts'
import type { ModelServer } from '../support/model-server.ts'
import { stage } from '../support/puppet.ts'
import type { World } from '../support/world.ts'

export const stageOfScene = stage

const answer = { verb: 'summon', content: 'so it is' }

/** Some of everything that a workflow of a being can come by, in a minute. */
export async function scene(world: World, model: ModelServer): Promise<void> {
  const handleOf = (being: string) =>
    world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, being))

  // A scripted being that acts, looks, fails, is refused, dies of an error, and continues as new several times.
  await world.birth({
    name: 'player',
    cognition: 'scripted',
    script: 'stage:puppet',
    role: 'stage:free',
    roleFlow: [{ stack: true, when: { 'me.quality.mood.is': 'merry' }, role: 'stage:mode-1' }],
  })
  await world.temporal.workflow.start(BEING_WORKFLOW, {
    workflowId: beingWorkflowId(world.reality.name, 'player'),
    taskQueue: taskQueueOf(world.reality.name),
    args: [{ reality: world.reality.name, being: 'player', historyEventsMax: 80 }],
  })
  const calls: JsonObject[] = [
    answer,
    { verb: 'do', action: 'set-being', args: { field: 'mood.is', value: 'merry' } },
    answer,
    { verb: 'see', address: '/' },
    { verb: 'summon', target: '@operator', content: 'are you there?' },
    { verb: 'do', action: 'no-such-action', args: {} },
    { verb: 'do', action: 'set-being', args: { field: 'mood.is', value: null } },
    answer,
  ]
  for (const call of calls) await play(world, 'player', call)
  await live(world, 'player', { throw: 'a script that dies' })
  await live(world, 'player', 'nothing to do')
  await Promise.all(Array.from({ length: 5 }, () => play(world, 'player', answer))) // a line before it
  // Its flow changes under it, then leaves it without a role.
  await live(world, 'player', {
    call: {
      verb: 'do',
      action: 'set-roleflow',
      args: { flow: [{ when: { verb: 'summon' }, role: 'stage:mute' }] },
    },
  })
  await live(world, 'player', { call: answer })

  // An LLM being that answers, is silent, and whose model fails until the moment does.
  await world.birth({ name: 'thinker', cognition: 'llm', role: 'resident' })
  await live(world, 'thinker', 'a question')
  model.script((request) => (beingOf(request) === 'thinker' ? { status: 400 } : undefined))
  await live(world, 'thinker', 'a question that cannot be answered')
  model.script((request) => (beingOf(request) === 'thinker' ? { status: 500 } : undefined))
  await live(world, 'thinker', 'a question for a model that is away', { seconds: 60 })
  model.reset()
  // It is ended in the middle of a moment, and comes back.
  let asked = 0
  model.script((request) => (beingOf(request) === 'thinker' && asked++ === 0 ? { hang: true } : undefined))
  await tell(world, 'thinker', 'think hard')
  await until(() => asked === 1)
  await handleOf('thinker').terminate('part of the scene')
  await momentOf(world, await tell(world, 'thinker', 'and then?'), 30)
  model.reset()

  // A person: an answer, acts of their own, and acts sent from the Temporal UI.
  for (const { correlation } of (await inbox(world, 'operator')).slice(-2))
    await reply(world, { correlation, content: 'yes', as: 'operator', waitSeconds: 20 })
  await handleOf('operator').signal(ACT_SIGNAL, { verb: 'summon', target: '@player', content: 'from the UI' })
  await handleOf('operator').signal(ACT_SIGNAL, { verb: 'no such verb' })
  await act(world, 'operator', {
    verb: 'do',
    action: 'set-world-signal',
    target: null,
    args: { namespace: 'weather', key: 'condition', value: 'rain' },
  })
  const heard = async () => (await wakesOf(world, 'player')).find(({ content }) => content === 'from the UI')
  const { id } = await until(heard)
  await momentOf(world, id)

  // A run that ends in the silence after many moments, after waking broke it once.
  await world.birthPuppet('sleeper')
  for (let i = 0; i < 14; i++) await live(world, 'sleeper', i)
  for (let i = 0; i < 6; i++) {
    await live(world, 'sleeper', i)
    await sleep(2500)
  }
}
