/** Records what beings live now, as one set of histories. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { bundleWorkflowCode } from '@temporalio/worker'
import { plantScene } from '@treeos/client'
import { type History, treeos } from '@treeos/host'
import { beingWorkflowId, SCHEDULE_WORKFLOW } from '@treeos/protocol'
import { recordedCommands } from '@treeos/replay'
import { firstBoard } from '../support/board.ts'
import { exportHistories } from '../support/histories.ts'
import { live, momentOf, tell, until } from '../support/life.ts'
import { startModelServer } from '../support/model-server.ts'
import { orders } from '../support/orders.ts'
import { startPostOffice } from '../support/post-office.ts'
import { cutThread, openShop, ship } from '../support/shipping.ts'
import { startWorld, type World } from '../support/world.ts'
import { demos } from '../support/worlds.ts'
import { HISTORIES, readRecordings } from './recordings.ts'
import { HANDED_ON, scenariosIn } from './scenarios-in.ts'
import { situationExtensions, situations } from './situations.ts'

/** Scenes, each recorded by itself. The one of weather performs an effect outside. */
export const DEMOS = demos
export const sceneOfDemo = ({ name }: { readonly name: string }): string => `demo-${name}`

/** A scene is at rest when no wake came for so long. */
const QUIET_SECONDS = 8

/** Folders of runs that are no being's, by the type of their workflow. No being has such a name. */
export const OTHERS: Readonly<Record<string, string>> = {
  [SCHEDULE_WORKFLOW]: '+schedule',
  treeosTask: '+task',
  treeosCall: '+call',
}
export const workflowTypeOf = ({ events }: History): string =>
  events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? ''

/** What a history holds, in words: its scenarios, and its commands by kind and name. */
export const heldBy = (history: History): Set<string> =>
  new Set([
    ...scenariosIn(history),
    ...recordedCommands(history).map(({ kind, name }) => `command ${kind} ${name}`),
  ])

/**
 * Records the situations, a rollout, calls of workflows and every demo. Of all runs it keeps those that hold something which no other one
 * holds, and of each demo at least one.
 * @param set replaces the set of this name
 */
export async function recordSet(set: string): Promise<void> {
  const [lived, rolled, called, ...planted] = await Promise.all([
    liveSituations(),
    liveRollout(),
    liveCalls(),
    ...DEMOS.map(plantDemo),
  ])
  const folder = join(HISTORIES, set)
  await rm(folder, { recursive: true, force: true })
  const known = new Set<string>()
  await keep(join(folder, 'situations'), lived, known)
  await keep(join(folder, 'rollout'), rolled, known)
  await keep(join(folder, 'calls'), called, known)
  for (const [i, runs] of planted.entries()) await keep(join(folder, sceneOfDemo(DEMOS[i]!)), runs, known, 1)
}

/** Scenes that can be recorded alone, into a set that has the others. */
const SCENES: Readonly<Record<string, () => Promise<LivedRun[]>>> = {
  rollout: liveRollout,
  calls: liveCalls,
}

export async function recordScene(set: string, scene: string): Promise<void> {
  const live = SCENES[scene]
  if (live === undefined) throw new Error(`no scene ${scene}: one of ${Object.keys(SCENES).join(', ')}`)
  const folder = join(HISTORIES, set, scene)
  await rm(folder, { recursive: true, force: true })
  const others = (await readRecordings()).flatMap(({ history }) => [...heldBy(history)])
  await keep(folder, await live(), new Set(others))
}

interface LivedRun {
  readonly being: string
  readonly history: History
}

/** Writes the runs that hold more than is known, the richest first, and at least so many. */
async function keep(
  folder: string,
  runs: readonly LivedRun[],
  known: Set<string>,
  atLeast = 0,
): Promise<void> {
  const rich = runs
    .map((run) => ({ ...run, held: heldBy(run.history) }))
    .sort((a, b) => b.held.size - a.held.size)
  for (const [i, { being, history, held }] of rich.entries()) {
    if (i >= atLeast && [...held].every((one) => known.has(one))) continue
    for (const one of held) known.add(one)
    const run = history.events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId
    await mkdir(join(folder, being), { recursive: true })
    await writeFile(join(folder, being, `${run}.json.gz`), await promisify(gzip)(historyToJSON(history)))
  }
}

async function runsOf(world: World): Promise<LivedRun[]> {
  const beings = beingWorkflowId(world.reality.name, '')
  return (await exportHistories(world)).map(({ workflowId, history }) => ({
    being: OTHERS[workflowTypeOf(history)] ?? workflowId.slice(beings.length),
    history,
  }))
}

async function liveSituations(): Promise<LivedRun[]> {
  const [model, office] = [await startModelServer(), await startPostOffice()]
  process.env.TREEOS_TEST_OFFICE = office.url
  const world = await startWorld({ extensions: situationExtensions, modelUrl: model.url, shortMindMs: 500 })
  await situations(world, model, office, 700)
  const runs = await runsOf(world)
  await world.close()
  await Promise.all([model.close(), office.close()])
  return runs
}

/** The worker that has the code of a being ends, one without it hands the run on, until one comes that has it. */
async function liveRollout(): Promise<LivedRun[]> {
  const model = await startModelServer()
  const world = await startWorld({ extensions: [firstBoard], modelUrl: model.url })
  await world.birth({ name: 'keeper', cognition: 'llm', role: 'board:keeper' })
  await live(world, 'keeper', 'begin')
  await world.stopWorker()
  const stop = await world.startWorker([])
  const asked = await tell(world, 'keeper', 'anybody here?')
  const keeper = world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, 'keeper'))
  const isHandedOn = async () => scenariosIn(await keeper.fetchHistory()).has(HANDED_ON)
  await until(isHandedOn, { seconds: 120, what: 'a run that is handed on' })
  await world.startWorker([firstBoard])
  await momentOf(world, asked, 120)
  await stop()
  const runs = await runsOf(world)
  await world.close()
  await model.close()
  return runs
}

/** A being calls workflows of a host: one ends, one fails, and one is cancelled with its thread. */
async function liveCalls(): Promise<LivedRun[]> {
  const workflowsPath = join(import.meta.dirname, '../support/orders.workflow.ts')
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [treeos()] })
  const world = await startWorld({ extensions: [orders], worker: { workflowBundle } })
  await openShop(world)
  for (const [order, where] of [
    ['one', 'Bern'],
    ['two', 'nowhere'],
  ] as const) {
    const { answered, called } = await ship(world, order)
    await called.signal('arrived', where)
    await answered
  }
  const { answered, thread, call } = await ship(world, 'three')
  answered.catch(() => undefined) // nobody is answered once the thread is cut
  await cutThread(world, thread)
  await until(async () => (await call.describe()).status.name === 'CANCELLED')
  const runs = await runsOf(world)
  await world.close()
  return runs
}

async function plantDemo(demo: (typeof DEMOS)[number]): Promise<LivedRun[]> {
  process.env.TREEOS_WEATHER_URL = '' // nobody is asked outside
  const world = await startWorld({ extensions: [demo] })
  await plantScene(world, demo)
  const isQuiet = async () => {
    const { latest } = await world.db
      .selectFrom('inbox')
      .select(({ fn }) => fn.max('at').as('latest'))
      .executeTakeFirstOrThrow()
    return Date.now() - latest.getTime() > 1000 * QUIET_SECONDS
  }
  await until(isQuiet, { seconds: 180, what: `the rest of ${demo.name}` })
  const runs = await runsOf(world)
  await world.close()
  return runs
}
