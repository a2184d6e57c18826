/** A replay may hear a signal in an earlier task than the run did. No being may be stuck by that. */
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { HistoryReplayer } from '@treeos/replay'
import { expect, it } from 'vitest'
import { signalsIn, withEarlierSignals, withUnheardSignal } from '../support/earlier-signals.ts'
import { hastyVersion } from '../support/other-versions.ts'
import { openReplayer } from '../support/replays.ts'
import { readRecordings } from './recordings.ts'

const runs = (await readRecordings()).filter(({ history }) => signalsIn(history).length > 0)

/** Replays runs of which the signals come earlier. @returns the errors of those that cannot be followed */
async function stuck(replayer: HistoryReplayer, tasksOf: (signal: number) => number): Promise<string[]> {
  const errors: string[] = []
  for (const { being, history, ...run } of runs) {
    const { error } = await replayer.replay({ ...run, history: withEarlierSignals(history, tasksOf) })
    if (error !== null) errors.push(`@${being}: ${error}`)
  }
  return errors
}

const ways = [
  { way: 'every signal one task earlier', tasksOf: () => 1 },
  { way: 'every signal in the first task', tasksOf: () => Number.POSITIVE_INFINITY },
  { way: 'some signals one or two tasks earlier', tasksOf: (i: number) => [0, 1, 0, 2, 0, 0][i % 6] ?? 0 },
]
it.each(ways)('recorded runs replay with $way', async ({ tasksOf }) => {
  expect(await stuck(await openReplayer(), tasksOf)).toEqual([])
})

it('recorded runs that ended at rest replay with a doorbell that came while their last task was late', async () => {
  const [bell] = runs.flatMap(({ history }) => {
    const { events } = JSON.parse(historyToJSON(history)) as { events: Record<string, unknown>[] }
    return events.filter((event) => JSON.stringify(event).includes('"signalName":"wake"'))
  })
  const ended = (await readRecordings()).filter(
    ({ history }) => history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes != null,
  )
  expect(ended.length).toBeGreaterThan(0)
  const replayer = await openReplayer()
  for (const { history, ...run } of ended) {
    const { error } = await replayer.replay({ ...run, history: withUnheardSignal(history, bell) })
    expect(error, `@${run.being}`).toBeNull()
  }
})

it('a control: a version that settles what it heard, not what results say, is stuck', async () => {
  const hasty = await HistoryReplayer.open((await hastyVersion()).bundle)
  const errors = await stuck(hasty, () => 1)
  await hasty.close()
  expect(errors.length).toBeGreaterThan(0)
  expect(errors.join()).toContain('TMPRL1100')
})

it('there are runs with several signals to try it on', () => {
  expect(runs.filter(({ history }) => signalsIn(history).length > 1).length).toBeGreaterThan(5)
})
