/** Two versions of the code serve the same beings, with Temporal's Worker Versioning and without it. */

import { randomUUID } from 'node:crypto'
import type { WorkerOptions } from '@temporalio/worker'
import { taskQueueOf } from '@treeos/core'
import { BEING_VERSION, BEING_WORKFLOW, beingWorkflowId } from '@treeos/protocol'
import { fetchRuns, HistoryReplayer, replayFromTemporal, type WorkflowRun } from '@treeos/replay'
import { listOutcomes } from '@treeos/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beingOf, live, momentOf, play, ring, tell, until } from '../../support/life.ts'
import { heedlessVersion, NEXT_VERSION, nextVersion } from '../../support/other-versions.ts'
import { stage } from '../../support/puppet.ts'
import { expectUnbroken, openReplayer } from '../../support/replays.ts'
import { useModelServer } from '../../support/use-world.ts'
import { startWorld, type World } from '../../support/world.ts'

const answer = { verb: 'summon', content: 'so it is' }
const model = useModelServer()
let next: Awaited<ReturnType<typeof nextVersion>>
beforeAll(async () => {
  next = await nextVersion()
})

const puppet = (world: World, name: string) => world.birthPuppet(name)
const runsOf = (world: World, being: string): Promise<WorkflowRun[]> =>
  fetchRuns(world.temporal, world.reality.name, being, null)
const lastRunOf = async (world: World, being: string): Promise<WorkflowRun> =>
  (await runsOf(world, being)).at(-1)!

/** The version of the code that began a run, as its input says. */
function versionOf({ history }: WorkflowRun): number {
  const [input] = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? []
  return Number((JSON.parse(Buffer.from(input?.data ?? []).toString()) as { version: number }).version)
}
/** The builds whose workers completed tasks of a run. */
const buildsOf = ({ history: { events } }: WorkflowRun): string[] => [
  ...new Set(
    (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: task }) =>
      task ? [task.deploymentVersion?.buildId ?? 'none'] : [],
    ),
  ),
]

/** Replays runs of a being by a version of the code. */
async function replays(by: HistoryReplayer, being: string, runs: readonly WorkflowRun[]): Promise<void> {
  expect([being, await replayFromTemporal(by, being, runs, null)]).toEqual([being, []])
}

describe('with Worker Versioning', () => {
  let world: World
  const deploymentName = `versions-${randomUUID().slice(0, 8)}`
  const version = (buildId: string): Partial<WorkerOptions> => ({
    workerDeploymentOptions: {
      version: { deploymentName, buildId },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'PINNED',
    },
  })
  /** Refused until a worker of the version polls. */
  const setCurrent = (buildId: string) =>
    until(
      () =>
        world.temporal.workflowService
          .setWorkerDeploymentCurrentVersion({ namespace: 'default', deploymentName, buildId })
          .then(
            () => true,
            () => false,
          ),
      { seconds: 90, what: `version ${buildId}` },
    )
  const BEINGS = ['sleeper', 'busy', 'thinker']

  beforeAll(async () => {
    world = await startWorld({
      extensions: [stage],
      modelUrl: model.url,
      shortMindMs: 300,
      worker: version('one'),
    })
    await setCurrent('one')
    await puppet(world, 'sleeper')
    await puppet(world, 'busy')
    await world.birth({ name: 'thinker', cognition: 'llm', role: 'resident' })
  })
  afterAll(() => world?.close())

  it('a being stays with the version that began its run, and its next run begins with the current one', async () => {
    await play(world, 'sleeper', answer)
    await world.temporal.workflow.start(BEING_WORKFLOW, {
      workflowId: beingWorkflowId(world.reality.name, 'busy'),
      taskQueue: taskQueueOf(world.reality.name),
      args: [{ reality: world.reality.name, being: 'busy', version: BEING_VERSION, historyEventsMax: 40 }],
    })
    await live(world, 'busy', 'begin')
    const gate = Promise.withResolvers<void>()
    let asked = 0
    model.script(async (request) => {
      if (beingOf(request) !== 'thinker') return undefined
      asked += 1
      await gate.promise
      return undefined
    })
    const thought = await tell(world, 'thinker', 'think on')
    await until(() => asked > 0)

    await world.startWorker([stage], { ...next.worker, ...version('two') })
    await setCurrent('two')
    // A being in a moment, one that is busy and one that sleeps: each ends its run where it began.
    gate.resolve()
    expect(await momentOf(world, thought)).toMatchObject({ outcome: 'act' })
    for (let i = 0; i < 14; i++) await play(world, 'busy', answer)
    await ring(world, 'sleeper')
    await ring(world, 'thinker')
    for (const being of BEINGS) {
      await until(async () => buildsOf(await lastRunOf(world, being)).includes('two'), {
        seconds: 90,
        what: `@${being} with the next version`,
      })
      await live(world, being, 'who are you now?')
      const builds = await until(async () => {
        const ofRuns = (await runsOf(world, being)).map(buildsOf)
        return ofRuns.every(({ length }) => length > 0) && ofRuns // the first task of the last run has ended
      })
      expect([being, builds.flat().sort()]).toEqual([being, builds.flat()]) // the ones before the twos
      for (const ofRun of builds) expect([being, ofRun.length]).toEqual([being, 1])
    }
    // Old code wrote the input of the first run with the new workers. They write that of the next one.
    while (versionOf(await lastRunOf(world, 'busy')) !== NEXT_VERSION) await play(world, 'busy', answer)
    await play(world, 'busy', answer)
  })

  it('no moment is lost, and every run replays by the version that ran it; the older runs by the newer code too', async () => {
    for (const being of BEINGS) {
      const outcomes = await listOutcomes(world.db, being)
      expect(outcomes.map(({ n }) => n)).toEqual(outcomes.map((_, i) => i + 1))
      expect(outcomes.filter(({ reason }) => reason !== null)).toEqual([])
    }
    const newer = await HistoryReplayer.open(next.bundle)
    for (const being of BEINGS) {
      const runs = await runsOf(world, being)
      expect(await replayFromTemporal(newer, being, runs, await listOutcomes(world.db, being))).toEqual([])
      await replays(
        await openReplayer(),
        being,
        runs.filter((run) => buildsOf(run).includes('one')),
      )
    }
    await newer.close()
    await expectUnbroken(world)
    expect(world.errors).toEqual([])
  })
})

describe('control: without versions', () => {
  const failuresOf = ({ history }: WorkflowRun) =>
    (history.events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
      failed ? [failed.failure?.message ?? ''] : [],
    )
  const toNext = async (world: World, being: string): Promise<void> => {
    await puppet(world, being)
    await world.stopWorker()
    const stop = await world.startWorker([stage], next.worker)
    const { reality, temporal } = world
    await temporal.workflow.start(BEING_WORKFLOW, {
      workflowId: beingWorkflowId(reality.name, being),
      taskQueue: taskQueueOf(reality.name),
      args: [{ reality: reality.name, being, version: NEXT_VERSION }],
    })
    await live(world, being, 'begin')
    await stop()
  }

  it('an older worker takes a newer run, says so, fails its task, and the being waits for a newer worker', async () => {
    const world = await startWorld({ extensions: [stage] })
    await toNext(world, 'ahead')
    const stop = await world.startWorker([stage])
    const asked = await tell(world, 'ahead', 'are you there?')
    const says = `version ${NEXT_VERSION} of the code began this run, and this worker has version ${BEING_VERSION}`
    await until(async () => failuresOf(await lastRunOf(world, 'ahead')).includes(says))
    await stop()
    await world.startWorker([stage], next.worker)
    expect(await momentOf(world, asked)).toMatchObject({ outcome: 'see' })
    const newer = await HistoryReplayer.open(next.bundle)
    await replays(newer, 'ahead', await runsOf(world, 'ahead'))
    await newer.close()
    await expectUnbroken(world)
    await world.close()
  })

  it('without that look it meets commands that its code does not make, and what it begins no newer worker replays', async () => {
    const world = await startWorld({ extensions: [stage] })
    await toNext(world, 'ahead')
    const older = await heedlessVersion()
    await world.startWorker([stage], older.worker)
    await tell(world, 'ahead', 'are you there?')
    await until(async () =>
      failuresOf(await lastRunOf(world, 'ahead')).some((why) => why.includes('TMPRL1100')),
    )

    await puppet(world, 'behind')
    const { reality, temporal } = world
    await temporal.workflow.start(BEING_WORKFLOW, {
      workflowId: beingWorkflowId(reality.name, 'behind'),
      taskQueue: taskQueueOf(reality.name),
      args: [{ reality: reality.name, being: 'behind', version: NEXT_VERSION }],
    })
    await live(world, 'behind', 'begin')
    const newer = await HistoryReplayer.open(next.bundle)
    // Its first moment may be stored before its task is in history.
    await until(async () => {
      const found = await replayFromTemporal(newer, 'behind', await runsOf(world, 'behind'), null)
      return found.some(({ field }) => field === 'determinism')
    })
    await newer.close()
    await world.close()
  })
})
