import { findEntry, listOutcomes, readOpen } from '@treeos/chain'
import { moments } from '@treeos/client'
import { ACT_SIGNAL, BEING_WORKFLOW, beingWorkflowId, taskQueueOf } from '@treeos/protocol'
import { describe, expect, it } from 'vitest'
import {
  askedFor,
  beingOf,
  live,
  momentOf,
  play,
  ring,
  rowOf,
  setRole,
  tell,
  until,
  wakesOf,
  wakeUp,
} from '../support/life.ts'
import { stage } from '../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../support/replaying.ts'
import { useModelServer, useWorld } from '../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })

const puppet = (name: string, more = {}) =>
  world.birth({ name, cognition: 'scripted', script: 'stage:puppet', role: 'stage:free', ...more })
const handleOf = (being: string) =>
  world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, being))
const answer = { verb: 'summon', content: 'so it is' }
const livesOf = async (being: string) =>
  (await listOutcomes(world.db, being)).map(({ moment, kind, reason }) => [moment, reason ?? kind])

describe('a workflow that is lost', () => {
  it('comes back with the next wake, under the next generation, and goes on counting', async () => {
    await puppet('phoenix')
    for (const _ of [1, 2]) {
      await play(world, 'phoenix', answer)
      await play(world, 'phoenix', answer)
      await handleOf('phoenix').terminate('a test')
    }
    await play(world, 'phoenix', answer)
    expect(await livesOf('phoenix')).toEqual([
      ['phoenix/1/1', 'act'],
      ['phoenix/1/2', 'act'],
      ['phoenix/2/3', 'act'],
      ['phoenix/2/4', 'act'],
      ['phoenix/3/5', 'act'],
    ])
    await expectUnbroken(world)
  })

  it('closes the moment it left open as superseded, and lives its wake again: nothing lost, nothing doubled', async () => {
    await world.birth({ name: 'interrupted', cognition: 'llm', role: 'resident' })
    let asked = 0
    model.script((request) =>
      beingOf(request) === 'interrupted' && asked++ === 0 ? { hang: true } : undefined,
    )
    const correlation = await tell(world, 'interrupted', 'think hard')
    await until(() => askedFor(model, 'interrupted').length === 1)
    await until(() => readOpen(world.db, 'interrupted/1/1')) // until the model turns out to be slow, nothing is open
    await handleOf('interrupted').terminate('a test')
    const next = await tell(world, 'interrupted', 'and then?')
    expect(await momentOf(world, next, 30)).toMatchObject({ n: 3, outcome: 'act' })
    model.reset()
    expect(await livesOf('interrupted')).toEqual([
      ['interrupted/1/1', 'superseded'],
      ['interrupted/2/2', 'act'],
      ['interrupted/2/3', 'act'],
    ])
    expect((await moments(world.db, 'interrupted'))[0]).toMatchObject({
      outcome: 'skipped',
      act: null,
      primary: null,
      wake: null,
    })
    expect(await findEntry(world.db, correlation)).toMatchObject({ closedBy: 'interrupted/2/2' })
    const replies = (await wakesOf(world, 'operator')).filter(({ caller }) => caller?.name === 'interrupted')
    expect(replies.map(({ inReplyTo }) => inReplyTo)).toEqual([correlation, next])
    const notices = (await wakesOf(world, 'operator')).filter(({ id }) =>
      id.startsWith('notice/interrupted/'),
    )
    expect(notices).toEqual([])
    await expectUnbroken(world)
  })

  it('takes with it no wake that waits: all are lived after it comes back', async () => {
    await puppet('crowded')
    await live(world, 'crowded', 'begin')
    await world.stopWorker()
    const ids = await wakeUp(world, 'crowded', [1, 2, 3, 4])
    await handleOf('crowded').terminate('a test')
    await ring(world, 'crowded')
    await world.startWorker()
    for (const id of ids) expect(await momentOf(world, id)).toMatchObject({ outcome: 'see' })
    expect((await livesOf('crowded')).map(([moment]) => moment)).toEqual([
      'crowded/1/1',
      'crowded/2/2',
      'crowded/2/3',
      'crowded/2/4',
      'crowded/2/5',
    ])
  })

  it('a bell for an unknown being ends without an error and without a fact', async () => {
    await ring(world, 'nobody')
    await expect(handleOf('nobody').result()).rejects.toThrow()
    expect(await live(world, 'echo', 'hi')).toMatchObject({ outcome: 'act' })
  })
})

describe('a long life', () => {
  /** Begins a life whose runs end after so few events. */
  const begin = (being: string, historyEventsMax: number) =>
    world.temporal.workflow.start(BEING_WORKFLOW, {
      workflowId: beingWorkflowId(world.reality.name, being),
      taskQueue: taskQueueOf(world.reality.name),
      args: [{ reality: world.reality.name, being, historyEventsMax }],
    })
  const runsOf = async (being: string) => {
    const workflowId = beingWorkflowId(world.reality.name, being)
    const found = []
    for await (const run of world.temporal.workflow.list({ query: `WorkflowId = "${workflowId}"` }))
      found.push(run)
    return found
  }

  it('continues as new without a gap in its count, in one generation, with a history that stays small', async () => {
    await setRole(world, { name: 'counter', canDo: ['set-being'], prompt: '' })
    await puppet('ancient', { role: 'counter' })
    await begin('ancient', 25)
    const count = 40
    const set = (i: number) => ({
      call: { verb: 'do', action: 'set-being', target: '@ancient', args: { field: 'count.to', value: i } },
    })
    const ids = await wakeUp(
      world,
      'ancient',
      Array.from({ length: count }, (_, i) => set(i)),
    )
    await momentOf(world, ids.at(-1)!, 30)
    const outcomes = await listOutcomes(world.db, 'ancient')
    expect(outcomes.map(({ moment, kind }) => [moment, kind])).toEqual(
      Array.from({ length: count }, (_, i) => [`ancient/1/${i + 1}`, 'act']),
    )
    expect(outcomes.map(({ wake }) => wake)).toEqual(ids)
    expect((await rowOf(world, 'ancient')).qualities).toEqual({ count: { to: count - 1 } })

    const runs = await until(async () => {
      const found = await runsOf('ancient')
      return found.length > 3 && found
    })
    const bytes = runs.reduce((sum, run) => sum + (run.historySize ?? 0), 0)
    expect(bytes / count).toBeLessThan(6 * 1024) // per moment; short runs continue as new often
    expect((await live(world, 'ancient', 'go on')).n).toBe(count + 1)
  })

  it('loses no act that came as a signal while a run gives way to the next', async () => {
    await handleOf('operator').terminate('a test')
    await begin('operator', 40)
    await world.birth({ name: 'hearer', cognition: 'human' })
    const said = Array.from({ length: 60 }, (_, i) => `word ${i}`)
    await Promise.all(
      said.map((content) =>
        handleOf('operator').signal(ACT_SIGNAL, { verb: 'summon', target: '@hearer', content }),
      ),
    )
    const heard = await until(async () => {
      const wakes = await wakesOf(world, 'hearer')
      return wakes.length >= said.length && wakes
    })
    expect(heard.map(({ content }) => content).sort()).toEqual([...said].sort())
    await until(async () =>
      (await runsOf('operator')).some(({ status }) => status.name === 'CONTINUED_AS_NEW'),
    )
  })

  it('F49 F54 every life replays from both records', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
