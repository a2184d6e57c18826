/** Recorded runs that must still replay: whoever changes a workflow may not break a being that lives by it. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { beings, plantScene } from '@treeos/client'
import { readArchive } from '@treeos/host'
import { BEING_WORKFLOW, beingWorkflowId } from '@treeos/protocol'
import { recordedCommands, replayFromTemporal } from '@treeos/replay'
import { shipped } from '@treeos/worker/shipped'
import { describe, expect, it } from 'vitest'
import { exportHistories } from '../support/histories.ts'
import { tell, until } from '../support/life.ts'
import { startModelServer } from '../support/model-server.ts'
import { openReplayer } from '../support/replaying.ts'
import { startWorld, type World } from '../support/world.ts'
import { scene, stageOfScene } from './scene.ts'

const FOLDER = join(import.meta.dirname, '../histories')
/** Set to a name, it records the scene as it is lived now. Done when workflows learn something new, never to mend a test. */
const RECORD = process.env.TREEOS_RECORD_HISTORIES

const recordings = await readdir(FOLDER)

/** Shipped scenes, each recorded by itself. The one of weather performs an effect outside. */
const DEMOS = shipped.filter(({ scene }) => scene.length > 0)
const DEMO = 'demo-'
/** Ends the name of a recording of a scene that came to rest; the older ones were cut off. */
const AT_REST = '-at-rest'
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
    const being = workflowId.slice(beingWorkflowId(world.reality.name, '').length)
    const run = history.events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId
    const folder = join(FOLDER, name, being)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, `${run}.json.gz`), await promisify(gzip)(historyToJSON(history)))
  }
}

const LIVED = ['local beginLife', 'local openMoment', 'local stampMoment']
const EVERY_COMMAND = [...LIVED, 'local intake', 'activity think', 'continue ']
/** Of recordings that are no demo, by name, those that hold more. */
const LATER_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  '2026-11-short-way': [...EVERY_COMMAND, 'local finishMoment'],
  '2026-11-ends-in-silence': [...EVERY_COMMAND, 'local finishMoment', 'timer '],
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
  const recorded = await readdir(join(FOLDER, recording))
  const runs = async (being: string) =>
    [...(await readArchive(join(FOLDER, recording), being))].map(([runId, history]) => ({
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
    expect(
      all.every(
        ({ history }) =>
          history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name === BEING_WORKFLOW,
      ),
    ).toBe(true)
    for (const command of known ?? []) expect(commands).toContain(command)
    expect(known).toBeDefined()
  })
})
