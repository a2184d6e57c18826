/**
 * Recorded runs that must still replay: whoever changes a workflow may not break a being that lives by it.
 */
import type { History } from '@treeos/host'
import { BEING_VERSION, BEING_WORKFLOW } from '@treeos/protocol'
import { HistoryReplayer, replayFromTemporal } from '@treeos/replay'
import { describe, expect, it } from 'vitest'
import { NEXT_VERSION, nextVersion } from '../support/other-versions.ts'
import { openReplayer } from '../support/replays.ts'
import { DEMOS, heldBy, OTHERS, recordScene, recordSet, sceneOfDemo, workflowTypeOf } from './record.ts'
import { copyOf, type Recorded, readRecordings } from './recordings.ts'
import { CALLED_ENDS, HANDED_ON } from './scenarios-in.ts'

/**
 * What the recordings hold together: a workflow that makes another command is recorded, and the command named
 * here.
 */
const COMMANDS = [
  'activity mail:post',
  'activity think',
  'activity treeosEndCall',
  'activity treeosReadCall',
  'activity weather:observe',
  'child shipOrder',
  'child treeosCall',
  'child treeosTask',
  'continue ',
  'local beginLife',
  'local intake',
  'local liveMoments',
  'local stampMoment',
  'local wakeScheduled',
  'search TreeosCognition TreeosRole',
  'timer ',
]
const SCENARIOS_MIN = 60

/**
 * Set to the name of a set, it records that set anew; to `SET/SCENE`, that scene of it. A set that was released is never recorded again:
 * `released.test.ts`.
 */
const RECORD = process.env.TREEOS_RECORD_HISTORIES
const [SET = '', SCENE] = RECORD?.split('/') ?? []
if (SCENE !== undefined) it('records a scene of a set', () => recordScene(SET, SCENE), 900_000)
else if (RECORD !== undefined) it('records a set of histories', () => recordSet(RECORD), 900_000)
else describe('the recorded histories', replayRecorded)

async function replayRecorded(): Promise<void> {
  const recorded = await readRecordings()

  it.each([...Map.groupBy(recorded, ({ scene }) => scene)])(
    'of %s replay, command for command',
    async (_, runs) => {
      for (const run of runs)
        expect([run.being, await replayFromTemporal(await openReplayer(), run.being, [run], null)]).toEqual([
          run.being,
          [],
        ])
    },
  )

  it('hold every command, every demo and what a being comes by', () => {
    const held = new Set(recorded.flatMap(({ history }) => [...heldBy(history)]))
    expect([...held]).toEqual(expect.arrayContaining(COMMANDS.map((command) => `command ${command}`)))
    const scenarios = [...held].filter((word) => !word.startsWith('command '))
    console.error(`${recorded.length} recorded runs hold ${scenarios.length} scenarios`)
    expect(scenarios.length).toBeGreaterThanOrEqual(SCENARIOS_MIN)
    expect(scenarios.join('\n')).toContain('lived by its worker')
    expect(scenarios).toEqual(expect.arrayContaining([HANDED_ON, ...CALLED_ENDS]))
    const scenes = new Set(recorded.map(({ scene }) => scene.split('/').at(-1)))
    for (const demo of DEMOS) expect(scenes).toContain(sceneOfDemo(demo))
    for (const { history } of recorded)
      expect([BEING_WORKFLOW, ...Object.keys(OTHERS)]).toContain(workflowTypeOf(history))
  })

  describe('control: do not replay', () => {
    const one = () => copied(recorded.find(({ history }) => localsIn(history).length > 4)!)
    const errorOf = async (run: Recorded) => (await (await openReplayer()).replay(run)).error
    const localsIn = ({ events }: History) =>
      (events ?? []).filter(
        (event) => event.markerRecordedEventAttributes?.markerName === 'core_local_activity',
      )

    it('once two of their commands have changed places; before that they do', async () => {
      const run = one()
      expect(await errorOf(run)).toBeNull()
      const [first, second] = localsIn(run.history)
      const attributes = first!.markerRecordedEventAttributes
      first!.markerRecordedEventAttributes = second!.markerRecordedEventAttributes
      second!.markerRecordedEventAttributes = attributes
      expect(await errorOf(run)).toContain('TMPRL1100')
    })

    it('once one of their commands is gone', async () => {
      const run = one()
      const [, gone] = localsIn(run.history)
      run.history.events = (run.history.events ?? []).filter((event) => event !== gone)
      expect(await errorOf(run)).not.toBeNull()
    })
  })

  describe('the version that a run names for the next one', () => {
    /**
     * Replays a run that continued as new.
     * @param version that its input for the next run then names; null: as it was recorded
     */
    const mismatches = async (replayer: HistoryReplayer, version: number | null) => {
      const run = copied(recorded.find(({ history }) => nextInputOf(history) !== undefined)!)
      const payload = nextInputOf(run.history)!
      const input = JSON.parse(Buffer.from(payload.data ?? []).toString()) as object
      if (version !== null) payload.data = Buffer.from(JSON.stringify({ ...input, version }))
      return replayFromTemporal(replayer, run.being, [run], null)
    }

    it('may be that of the older code which ran it: a newer version replays the recordings', async () => {
      expect(await mismatches(await openReplayer(), null)).toEqual([])
      const newer = await HistoryReplayer.open((await nextVersion()).bundle)
      expect(await mismatches(newer, null)).toEqual([])
      expect(await mismatches(newer, NEXT_VERSION)).toEqual([])
      await newer.close()
    })
    it.each([BEING_VERSION - 1, NEXT_VERSION])(
      'control: is not %d, since the run had another and the code has another',
      async (version) => {
        expect(await mismatches(await openReplayer(), version)).not.toEqual([])
      },
    )
  })
}

const copied = (run: Recorded): Recorded => ({ ...run, history: copyOf(run.history) })

const nextInputOf = ({ events }: History) =>
  events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.input?.payloads?.[0]
