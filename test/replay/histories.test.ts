/** Recorded runs that must still replay: whoever changes a workflow may not break a being that lives by it. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { beings, plantScene } from '@treeos/client'
import { type History, readArchive } from '@treeos/host'
import { BEING_WORKFLOW, beingWorkflowId, SCHEDULE_WORKFLOW } from '@treeos/protocol'
import { recordedCommands, replayFromTemporal } from '@treeos/replay'
import { shipped } from '@treeos/worker/shipped'
import { describe, expect, it } from 'vitest'
import { exportHistories } from '../support/histories.ts'
import { tell, until } from '../support/life.ts'
import { startModelServer } from '../support/model-server.ts'
import { startPostOffice } from '../support/post-office.ts'
import { openReplayer } from '../support/replaying.ts'
import { startWorld, type World } from '../support/world.ts'
import { digestsOf, HISTORIES, MANIFEST, presentCode } from './kept-histories.ts'
import { appendEntries, pinOf } from './manifest.ts'
import { scene, stageOfScene } from './scene.ts'
import { situationExtensions, situations } from './situations.ts'

/** Set to a name, it records the scene as it is lived now. Done when workflows learn something new, never to mend a test. */
const RECORD = process.env.TREEOS_RECORD_HISTORIES

const recordings = (await readdir(HISTORIES, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** Shipped scenes, each recorded by itself. The one of weather performs an effect outside. */
const DEMOS = shipped.filter(({ scene }) => scene.length > 0)
const DEMO = 'demo-'
/** Ends the name of a recording of a scene that came to rest; the older ones were cut off. */
const AT_REST = '-at-rest'
/** In the name of a recording of all ends that a moment comes to; with the other word each mind has an activity of its own. */
const SITUATIONS = 'situations'
const LONG_WAY = '-long-way'
/** A scene is at rest when no wake came for so long. */
const QUIET_SECONDS = 8

if (RECORD?.startsWith(DEMO))
  it.each(DEMOS.filter(({ name }) => RECORD === `${DEMO}${name}` || RECORD === `${DEMO}${name}${AT_REST}`))(
    'records the demo $name',
    async (demo) => {
      process.env.TREEOS_WEATHER_URL = '' // nobody is asked outside
      const world = await startWorld({ extensions: [demo] })
      await plantScene(world, demo)
      for (const { being, parent, cognition } of await beings(world.db))
        if (parent !== null && cognition === 'scripted') await tell(world, being, 'hello?')
      const isQuiet = async () => {
        const { latest } = await world.db
          .selectFrom('inbox')
          .select(({ fn }) => fn.max('at').as('latest'))
          .executeTakeFirstOrThrow()
        return Date.now() - latest.getTime() > 1000 * QUIET_SECONDS
      }
      await until(isQuiet, { seconds: 90 })
      await record(world, RECORD)
      await world.close()
    },
    180_000,
  )
else if (RECORD?.includes(SITUATIONS))
  it('records situations', async () => {
    const [model, office] = [await startModelServer(), await startPostOffice()]
    process.env.TREEOS_TEST_OFFICE = office.url
    const extensions = situationExtensions
    const shortMindMs = RECORD.endsWith(LONG_WAY) ? 0 : 500
    const world = await startWorld({ extensions, modelUrl: model.url, shortMindMs })
    await situations(world, model, office, 700)
    await record(world, RECORD)
    await world.close()
    await Promise.all([model.close(), office.close()])
  }, 600_000)
else if (RECORD !== undefined)
  it('records a scene', async () => {
    const model = await startModelServer()
    const world = await startWorld({ extensions: [stageOfScene], modelUrl: model.url })
    await scene(world, model)
    await record(world, RECORD)
    await world.close()
    await model.close()
  }, 120_000)

async function record(world: World, name: string): Promise<void> {
  for (const { workflowId, history } of await exportHistories(world)) {
    const being =
      OTHERS[workflowTypeOf(history)] ?? workflowId.slice(beingWorkflowId(world.reality.name, '').length)
    const run = history.events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId
    const folder = join(HISTORIES, name, being)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, `${run}.json.gz`), await promisify(gzip)(historyToJSON(history)))
  }
  await enter()
}

/** Adds new recordings to the manifest. */
async function enter(): Promise<void> {
  const manifest = await readFile(MANIFEST, 'utf8')
  const code = await presentCode()
  const added = [...(await digestsOf(HISTORIES))]
    .filter(([file]) => !manifest.includes(JSON.stringify(file)))
    .map(([file, sha256]) => ({ file, sha256, code }))
  const grown = appendEntries(manifest, added)
  await writeFile(MANIFEST, grown)
  console.error(`PINNED of test/replay/manifest.ts is now ${JSON.stringify(pinOf(grown))}`)
}

/** Folders of runs of other workflows than beings', by the type of their workflow. No being has such a name. */
const OTHERS: Readonly<Record<string, string>> = {
  [SCHEDULE_WORKFLOW]: '+schedule',
  taskWorkflow: '+task',
}
const workflowTypeOf = ({ events }: History) =>
  events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? ''

const LIVED = ['local beginLife', 'local openMoment', 'local stampMoment']
const EVERY_COMMAND = [...LIVED, 'local intake', 'activity think', 'continue ']
const SITUATION_COMMANDS = [
  ...EVERY_COMMAND,
  'local wakeIdle',
  'local wakeScheduled',
  'child taskWorkflow',
  'activity mail:post',
  'timer ',
]
/** Since version 5 `openMoment` puts the wake by silence into the inbox. */
const ASKED_SITUATION_COMMANDS = SITUATION_COMMANDS.filter((command) => command !== 'local wakeIdle')
/** Of recordings other than demos, by name, those that hold more. */
const LATER_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  '2026-11-short-way': [...EVERY_COMMAND, 'local finishMoment'],
  '2026-11-ends-in-silence': [...EVERY_COMMAND, 'local finishMoment', 'timer '],
  '2026-11-version-2': [...EVERY_COMMAND, 'local finishMoment'],
  '2026-11-version-3': [...EVERY_COMMAND, 'local finishMoment'],
  '2026-11-situations': [...SITUATION_COMMANDS, 'local finishMoment'],
  '2026-11-situations-long-way': SITUATION_COMMANDS,
  '2026-11-asked': [...EVERY_COMMAND, 'local finishMoment', 'timer '],
  '2026-11-asked-situations': [...ASKED_SITUATION_COMMANDS, 'local finishMoment'],
  '2026-11-asked-situations-long-way': ASKED_SITUATION_COMMANDS,
  '2026-11-ahead': [...EVERY_COMMAND, 'local finishMoment'],
  '2026-11-ahead-situations': [...ASKED_SITUATION_COMMANDS, 'local finishMoment'],
  '2026-11-ahead-situations-long-way': ASKED_SITUATION_COMMANDS,
}
const DEMO_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  court: [...LIVED, 'activity think'],
  factory: [...LIVED, 'activity think'],
  harmony: [...LIVED, 'activity think'],
  library: [...LIVED, 'activity think'],
  weather: [...LIVED, 'activity weather:observe'],
  [`court${AT_REST}`]: [...LIVED, 'activity think'],
  [`factory${AT_REST}`]: [...LIVED, 'activity think', 'local wakeIdle', 'timer '],
  [`fitness${AT_REST}`]: [...LIVED, 'activity think'],
  [`food${AT_REST}`]: [...LIVED, 'activity think'],
  [`harmony${AT_REST}`]: [...LIVED, 'activity think', 'local wakeIdle', 'timer '],
  [`library${AT_REST}`]: [...LIVED, 'activity think'],
  [`lineage${AT_REST}`]: [...LIVED, 'activity think'],
  [`panel${AT_REST}`]: [...LIVED, 'activity think'],
  [`weather${AT_REST}`]: [...LIVED, 'activity weather:observe'],
}

describe.each(recordings)('the recording %s', async (recording) => {
  const recorded = await readdir(join(HISTORIES, recording))
  const runs = async (being: string) =>
    [...(await readArchive(join(HISTORIES, recording), being))].map(([runId, history]) => ({
      workflowId: beingWorkflowId('recorded', being),
      runId,
      history,
    }))

  it.each(recorded)('of @%s replays, command for command', async (being) => {
    expect(await replayFromTemporal(await openReplayer(), being, await runs(being), null)).toEqual([])
  })

  const isDemo = recording.startsWith(DEMO)
  const known = isDemo
    ? DEMO_COMMANDS[recording.slice(DEMO.length)]
    : (LATER_COMMANDS[recording] ?? EVERY_COMMAND)
  it(isDemo ? 'shows how it lived' : 'holds everything a being can come by', async () => {
    const all = (await Promise.all(recorded.map(runs))).flat()
    const commands = new Set(
      all.flatMap(({ history }) => recordedCommands(history).map(({ kind, name }) => `${kind} ${name}`)),
    )
    for (const { history } of all)
      expect([BEING_WORKFLOW, ...Object.keys(OTHERS)]).toContain(workflowTypeOf(history))
    for (const command of known ?? []) expect(commands).toContain(command)
    expect(known).toBeDefined()
  })
})
