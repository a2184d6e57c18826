import { setTimeout as sleep } from 'node:timers/promises'
import { act, moments } from '@treeos/client'
import { newWake, taskQueueOf } from '@treeos/core'
import { ACT_SIGNAL, BEING_VERSION, BEING_WORKFLOW, beingWorkflowId } from '@treeos/protocol'
import { findEntry, findOpen, findOutcomeOfWake, listOutcomes } from '@treeos/store'
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
} from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'
import { putWake } from '../../support/wakes.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })

const puppet = (name: string, more = {}) => world.birthPuppet(name, more)
const handleOf = (being: string) =>
  world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, being))
const answer = { verb: 'summon', content: 'so it is' }
/**
 * The sweep rings a being whose wake has waited so long. A bell that was lost shows as a moment that is
 * later.
 */
const SWEEP_SECONDS = 5
/** temporal.api.enums.v1.WorkflowTaskFailedCause: a signal came before the task ended its run */
const UNHANDLED_COMMAND = 1
const livesOf = async (being: string) =>
  (await listOutcomes(world.db, being)).map(({ moment, kind, reason }) => [moment, reason ?? kind])

describe('a workflow that is lost', () => {
  it('comes back with the next wake, under the next generation, and goes on counting', async () => {
    await puppet('phoenix')
    for (const _ of [1, 2]) {
      await play(world, 'phoenix', answer)
      await play(world, 'phoenix', answer)
      await sleep(500) // until then it waits for its next wake
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
    // until the model turns out to be slow, nothing is open
    await until(() => findOpen(world.db, 'interrupted/1/1'))
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
  const begin = (being: string, historyEventsMax?: number, life?: object) =>
    world.temporal.workflow.start(BEING_WORKFLOW, {
      workflowId: beingWorkflowId(world.reality.name, being),
      taskQueue: taskQueueOf(world.reality.name),
      args: [{ reality: world.reality.name, being, version: BEING_VERSION, historyEventsMax, life }],
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
    await begin('ancient', 20)
    const count = 64
    const set = (i: number) => ({
      call: { verb: 'do', operation: 'set-being', target: '@ancient', args: { field: 'count.to', value: i } },
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

  /** How often Temporal refused to end a task, because a signal came, and how long the longest run became. */
  const refusedAndLongest = async (being: string) => {
    const runs = await runsOf(being)
    const histories = await Promise.all(
      runs.map(({ workflowId, runId }) =>
        world.temporal.workflow.getHandle(workflowId, runId).fetchHistory(),
      ),
    )
    const events = histories.map((history) => history.events ?? [])
    return {
      runs: runs.length,
      longest: Math.max(...events.map(({ length }) => length)),
      refused: events
        .flat()
        .filter((event) => event.workflowTaskFailedEventAttributes?.cause === UNHANDLED_COMMAND).length,
    }
  }

  it('continues as new when it rests, and misses no doorbell that comes meanwhile', async () => {
    await puppet('sleeper')
    await begin('sleeper', 12)
    const rounds = 60
    let isOver = false
    const ringAlways = async () => {
      // most find nothing, some come while a run ends
      for (; !isOver; await sleep(3)) await ring(world, 'sleeper')
    }
    const ringing = Promise.all([ringAlways(), ringAlways()])
    let slowest = 0
    for (let i = 0; i < rounds; i++) {
      const [id = ''] = await wakeUp(world, 'sleeper', [i])
      const asked = performance.now()
      const outcome = await until(() => findOutcomeOfWake(world.db, id))
      slowest = Math.max(slowest, performance.now() - asked)
      expect(outcome).toMatchObject({ n: i + 1, kind: 'see' })
    }
    isOver = true
    await ringing
    expect(slowest).toBeLessThan(SWEEP_SECONDS * 1000)
    await until(async () => (await runsOf('sleeper')).length > rounds / 4)
    const { longest, refused } = await refusedAndLongest('sleeper')
    expect(longest).toBeLessThan(400)
    expect(refused).toBeGreaterThan(0) // some came at the very end of a run
  })

  /** Wakes a being again with the end of each moment, as a busy one is. */
  const keepBusy = async (being: string, rounds: number) => {
    for (let i = 0; i < rounds; i++) {
      const [id = ''] = await wakeUp(world, being, [i])
      while ((await findOutcomeOfWake(world.db, id)) === null) await sleep(1)
    }
  }

  /** Wakes it now and then, until a run of it has ended in the silence between. */
  const rest = async (being: string) => {
    while ((await runsOf(being)).length === 1) {
      await keepBusy(being, 1)
      await sleep(3000)
    }
  }

  it('ends a run at rest only in silence, so no task of a busy being is refused and done again', async () => {
    await puppet('keen')
    await begin('keen')
    await keepBusy('keen', 20)
    await rest('keen')
    expect(await refusedAndLongest('keen')).toMatchObject({ refused: 0, runs: 2 })
  })

  it('wakes by itself as late as it would have without a new run', async () => {
    await puppet('dozer')
    await act(world, 'operator', {
      verb: 'do',
      operation: 'set-being',
      target: '@dozer',
      args: { field: 'wake.idle', value: 6 },
    })
    await keepBusy('dozer', 11)
    await rest('dozer')
    const before = await listOutcomes(world.db, 'dozer')
    const lastAt = before.at(-1)?.record.sealedAt ?? 0
    const woken = await until(async () => (await listOutcomes(world.db, 'dozer'))[before.length], {
      seconds: 20,
    })
    expect((await runsOf('dozer')).length).toBe(2)
    expect((woken.record.openedAt - lastAt) / 1000).toBeGreaterThanOrEqual(6)
    expect((woken.record.openedAt - lastAt) / 1000).toBeLessThan(7.5)
  })

  it('a control: a run that begins at rest looks for no wake before a doorbell rings', async () => {
    await puppet('waker')
    const [first = ''] = await wakeUp(world, 'waker', [1])
    await momentOf(world, first)
    await world.stopWorker()
    await handleOf('waker').terminate('a test')
    await begin('waker', 500, { generation: 1, n: 2, rests: true, details: 'moment #1' })
    await world.startWorker()
    await until(async () => (await handleOf('waker').describe()).historyLength >= 4) // its first task is done
    const id = 'unrung'
    await putWake(world.owner, newWake({ id, being: 'waker', kind: 'event', priority: 3, content: 2 }))
    await sleep(2000)
    expect(await findOutcomeOfWake(world.db, id)).toBeNull()
    await ring(world, 'waker')
    expect(await momentOf(world, id)).toMatchObject({ n: 2, outcome: 'see' })
  })

  it('shows its last moment in the Temporal UI, also after it continued as new', async () => {
    await puppet('shown')
    await begin('shown', 3) // less than one moment adds
    const [id = ''] = await wakeUp(world, 'shown', [1])
    await momentOf(world, id)
    await until(async () => {
      const statuses = (await runsOf('shown')).map(({ status }) => status.name)
      return statuses.includes('CONTINUED_AS_NEW') && statuses.includes('RUNNING')
    })
    const metadata = await handleOf('shown').query<{ currentDetails: string }>('__temporal_workflow_metadata')
    expect(metadata.currentDetails).toContain('moment #1')
  })

  it('every life replays from both records', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
