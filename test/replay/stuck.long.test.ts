/**
 * The SDK never ends the replay of some histories. Such a replay ends with an error, and the runs after it
 * replay.
 */
import { HistoryReplayer, replayFromTemporal } from '@treeos/replay'
import { expect, it } from 'vitest'
import { replayBundle } from '../support/replays.ts'
import { readRecordings } from './recordings.ts'

/** Long enough to start the thread on a busy machine. */
const SECONDS_MAX = 10

it('a stuck replay is a difference that names what happened, and the next run replays', async () => {
  const [recorded] = await readRecordings()
  if (recorded === undefined) throw new Error('there is no recording')
  const { being, ...run } = recorded
  const withoutTask = { ...run, history: { events: (run.history.events ?? []).slice(0, 1) } }
  const replayer = await HistoryReplayer.open(replayBundle(), { secondsMax: SECONDS_MAX })
  expect(await replayFromTemporal(replayer, being, [withoutTask, run], null)).toMatchObject([
    {
      being,
      field: 'determinism',
      recorded: run.runId,
      temporal: `the replay is stuck before any command: Temporal's SDK did not end it within ${SECONDS_MAX} s`,
    },
  ])
  await replayer.close()
})
