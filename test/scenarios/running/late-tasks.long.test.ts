/**
 * A workflow task may reach its worker late, and end before the worker asks for more time. No being may be
 * stuck by that, in any replay.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { act } from '@treeos/client'
import { newWake, taskQueueOf } from '@treeos/core'
import { ACT_SIGNAL, BEING_VERSION, BEING_WORKFLOW, beingWorkflowId } from '@treeos/protocol'
import { HistoryReplayer, type WorkflowRun } from '@treeos/replay'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FaultProxy } from '../../faults/proxy.ts'
import { live, momentOf, ring, until, wakesOf } from '../../support/life.ts'
import { hastyVersion } from '../../support/other-versions.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken, openReplayer } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'
import { putWake } from '../../support/wakes.ts'

let proxy: FaultProxy
beforeAll(async () => {
  proxy = await FaultProxy.start({ host: '127.0.0.1', port: 1 }, 'anything')
})
const world = useWorld({
  extensions: [stage],
  workerTemporal(address) {
    const [host = '', port] = address.split(':')
    proxy.target = { host, port: Number(port) }
    return proxy.address
  },
})
afterAll(() => proxy.close())

/**
 * The server gives a task up after this time. A worker asks for more once it has had the task for 80 % of it.
 */
const TASK_MS = 2000
const handleOf = (being: string) =>
  world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, being))

const start = (being: string) =>
  world.temporal.workflow.start(BEING_WORKFLOW, {
    workflowId: beingWorkflowId(world.reality.name, being),
    taskQueue: taskQueueOf(world.reality.name),
    workflowTaskTimeout: TASK_MS,
    args: [{ reality: world.reality.name, being, version: BEING_VERSION }],
  })

/** What comes while the late task is under way, by the being that it comes to. */
const MEANWHILE = { bell: ['bell'], both: ['bell', 'act', 'bell', 'act'] } as const
type Name = keyof typeof MEANWHILE
const NAMES = Object.keys(MEANWHILE) as Name[]

async function signalAll(nameOf: (name: Name) => string): Promise<void> {
  const said = { verb: 'summon', target: '@operator', content: 'hello' }
  for (const name of NAMES)
    for (const signal of MEANWHILE[name])
      await (signal === 'bell' ? ring(world, nameOf(name)) : handleOf(nameOf(name)).signal(ACT_SIGNAL, said))
}

/**
 * Lets tasks come late, so that they end before their worker asks for more time. Their worker then gets the
 * next tasks while a local activity of the late ones waits to write into a table.
 */
async function missTasks(
  beings: readonly string[],
  table: Table,
  begin: (being: string) => Promise<unknown>,
  meanwhile: () => Promise<void>,
): Promise<void> {
  await world.owner.transaction().execute(async (trx) => {
    await sql`lock table ${sql.table(`treeos.${table}`)} in exclusive mode`.execute(trx)
    proxy.stall()
    await Promise.all(beings.map(begin))
    for (const being of beings) await until(() => isTaskUnderWay(being))
    await meanwhile()
    await sleep(0.5 * TASK_MS)
    proxy.flow()
    for (const being of beings) await until(async () => missedATask(await runOf(being)))
    await sleep(200) // the next tasks reach their worker
  })
}

/** temporal.api.enums.v1.PendingWorkflowTaskState */
const STARTED = 2
const isTaskUnderWay = async (being: string) =>
  (await handleOf(being).describe()).raw.pendingWorkflowTask?.state === STARTED
/** Openings write into the one, and ends of moments into the other. */
type Table = 'inbox' | 'moment_outcome'

let rounds = 0
/** Two beings whose task comes late. @returns their runs once they rest */
async function missOneTaskEach(table: Table, isFirst: boolean): Promise<WorkflowRun[]> {
  rounds += 1
  const round = rounds
  const nameOf = (name: Name) => `${name}-${round}`
  const beings = NAMES.map(nameOf)
  for (const name of beings) {
    await world.birthPuppet(name)
    if (isFirst) continue
    await start(name)
    await rested(name)
  }
  for (const being of beings)
    await putWake(
      world.owner,
      newWake({ id: `unanswered/wake-${being}`, being, kind: 'event', priority: 3, content: 'look' }),
    )
  await missTasks(
    beings,
    table,
    (being) => (isFirst ? start(being) : ring(world, being)),
    () => signalAll(nameOf),
  )
  return Promise.all(
    beings.map(async (being) => {
      expect(await momentOf(world, `unanswered/wake-${being}`)).toMatchObject({ outcome: 'see' })
      await rested(being)
      return runOf(being)
    }),
  )
}

/** Waits until nothing is under way and nothing more comes. */
async function rested(being: string): Promise<void> {
  let events = 0
  await until(async () => {
    const { raw, historyLength } = await handleOf(being).describe()
    const isSame = historyLength === events
    events = historyLength
    if (isSame && raw.pendingWorkflowTask == null && historyLength > 4) return true
    await sleep(300)
    return false
  })
}

async function runOf(being: string): Promise<WorkflowRun> {
  const handle = handleOf(being)
  const [history, { runId }] = await Promise.all([handle.fetchHistory(), handle.describe()])
  return { workflowId: beingWorkflowId(world.reality.name, being), runId, history }
}

/** A task timed out, and the next one came with a signal. */
const missedATask = ({ history: { events } }: WorkflowRun): boolean =>
  (events ?? []).some(
    (event, i) =>
      event.workflowTaskTimedOutEventAttributes != null &&
      events?.[i + 1]?.workflowExecutionSignaledEventAttributes != null,
  )

const errorOf = async (run: WorkflowRun) => (await (await openReplayer()).replay(run)).error

describe('a task that came late, and whose worker goes on with the next one', () => {
  it.each([
    ['the first one of a run, at the end of its moment', 'moment_outcome', true],
    ['a later one, while a moment is opened', 'inbox', false],
    ['a later one, at the end of its moment', 'moment_outcome', false],
  ] as const)('%s: the run replays, whatever came meanwhile', async (_, table, isFirst) => {
    const runs = await missOneTaskEach(table, isFirst)
    expect(await Promise.all(runs.map(errorOf))).toEqual([null, null])
  })

  // On a busy machine the worker may ask for more time before its task is late.
  it('a silence that is over, before a bell: the run replays', { retry: 2 }, async () => {
    rounds += 1
    const being = `sitter-${rounds}`
    await world.birth({ name: being, cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' })
    await start(being)
    const args = { field: 'wake.idle', value: 9 } // long enough to hold its task up on a busy machine
    await act(world, 'operator', { verb: 'do', operation: 'set-being', target: `@${being}`, args })
    await live(world, being, 'are you there?')
    await until(async () =>
      (await runOf(being)).history.events?.some((event) => event.timerStartedEventAttributes != null),
    )
    const nothing = async () => undefined
    await missTasks([being], 'inbox', nothing, () => ring(world, being))
    await until(async () => (await wakesOf(world, being)).some(({ id }) => id.startsWith('idle/')))
    await rested(being)
    expect(await errorOf(await runOf(being))).toBeNull()
  })

  it('every moment replays from both records', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })

  // A worker that asks for more time before it gets the next task begins anew.
  it('a control: a version that settles what it heard, not what results say, is stuck', {
    retry: 2,
  }, async () => {
    const hasty = await hastyVersion()
    await world.stopWorker()
    await world.startWorker([stage], hasty.worker)
    const runs = await missOneTaskEach('inbox', false)
    const replayer = await HistoryReplayer.open(hasty.bundle)
    const [bell, both] = await Promise.all(runs.map((run) => replayer.replay(run)))
    await replayer.close()
    expect(bell?.error).toContain('Missing associated machine for LocalActivity')
    expect(both?.error).not.toBeNull()
  })
})
