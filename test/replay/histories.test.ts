/** Recorded runs that must still replay: whoever changes a workflow may not break a being that lives by it. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { readArchive } from '@treeos/client'
import { HistoryReplayer, recordedCommands, replayFromTemporal } from '@treeos/replay'
import { BEING_WORKFLOW, beingWorkflowId } from '@treeos/workflows'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exportHistories } from '../support/histories.ts'
import { startModelServer } from '../support/model-server.ts'
import { replayBundle } from '../support/replaying.ts'
import { startWorld } from '../support/world.ts'
import { scene, stageOfScene } from './scene.ts'

const FOLDER = join(import.meta.dirname, '../histories')
/** Set to a name, it records the scene as it is lived now. Done when workflows learn something new, never to mend a test. */
const RECORD = process.env.TREEOS_RECORD_HISTORIES

const recordings = await readdir(FOLDER)

if (RECORD !== undefined)
  it('records a scene', async () => {
    const model = await startModelServer()
    const world = await startWorld({ extensions: [stageOfScene], modelUrl: model.url })
    await scene(world, model)
    for (const { workflowId, history } of await exportHistories(world)) {
      const being = workflowId.slice(beingWorkflowId(world.reality.name, '').length)
      const run = history.events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId
      const folder = join(FOLDER, RECORD, being)
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, `${run}.json.gz`), await promisify(gzip)(historyToJSON(history)))
    }
    await world.close()
    await model.close()
  }, 120_000)

describe.each(recordings)('the recording %s', async (recording) => {
  const beings = await readdir(join(FOLDER, recording))
  const runs = async (being: string) =>
    [...(await readArchive(join(FOLDER, recording), being))].map(([runId, history]) => ({
      workflowId: beingWorkflowId('recorded', being),
      runId,
      history,
    }))

  let replayer: HistoryReplayer
  beforeAll(async () => {
    replayer = await HistoryReplayer.open(replayBundle())
  })
  afterAll(() => replayer?.close())

  it.each(beings)('of @%s replays, command for command', async (being) => {
    expect(await replayFromTemporal(replayer, being, await runs(being), [])).toEqual([])
  })

  it('holds everything a being can come by', async () => {
    const all = (await Promise.all(beings.map(runs))).flat()
    const commands = new Set(
      all.flatMap(({ history }) => recordedCommands(history).map(({ kind, name }) => `${kind} ${name}`)),
    )
    expect(
      all.every(
        ({ history }) =>
          history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name === BEING_WORKFLOW,
      ),
    ).toBe(true)
    for (const known of [
      'local beginLife',
      'local openMoment',
      'local stampMoment',
      'local intake',
      'activity think',
      'continue ',
    ])
      expect(commands).toContain(known)
  })
})
