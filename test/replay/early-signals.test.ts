/** A replay may hear a signal in an earlier task than the run did. No being may be stuck by that. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type History, readArchive } from '@treeos/host'
import { beingWorkflowId } from '@treeos/protocol'
import { expect, it } from 'vitest'
import { signalsIn, withEarlierSignals } from '../support/earlier-signals.ts'
import { openReplayer } from '../support/replaying.ts'
import { HISTORIES } from './kept-histories.ts'
import { versionOf } from './scenarios-in.ts'

interface Recorded {
  readonly being: string
  readonly runId: string
  readonly history: History
}
const recorded = new Map<number, Promise<Recorded[]>>()
function runsOf(version: number): Promise<Recorded[]> {
  const known = recorded.get(version) ?? readRuns(version)
  recorded.set(version, known)
  return known
}

async function readRuns(version: number): Promise<Recorded[]> {
  const runs: Recorded[] = []
  for (const recording of await readdir(HISTORIES, { withFileTypes: true })) {
    if (!recording.isDirectory()) continue
    const folder = join(HISTORIES, recording.name)
    for (const being of (await readdir(folder)).filter((name) => !name.startsWith('+')))
      for (const [runId, history] of await readArchive(folder, being))
        if (versionOf(history) === version && signalsIn(history).length > 0)
          runs.push({ being, runId, history })
  }
  return runs
}

/** Replays runs of which the signals come earlier. @returns the errors of those that cannot be followed */
async function stuck(version: number, tasksOf: (signal: number) => number): Promise<string[]> {
  const replayer = await openReplayer()
  const errors: string[] = []
  for (const { being, runId, history } of await runsOf(version)) {
    const earlier = withEarlierSignals(history, tasksOf)
    const run = { workflowId: beingWorkflowId('recorded', being), runId, history: earlier }
    const { error } = await replayer.replay(run)
    if (error !== null) errors.push(`@${being}: ${error}`)
  }
  return errors
}

const ways = [
  { way: 'every signal one task earlier', tasksOf: () => 1 },
  { way: 'every signal in the first task', tasksOf: () => Number.POSITIVE_INFINITY },
  { way: 'some signals one or two tasks earlier', tasksOf: (i: number) => [0, 1, 0, 2, 0, 0][i % 6] ?? 0 },
]
it.each(ways)('recorded runs of version 5 replay with $way', async ({ tasksOf }) => {
  expect(await stuck(5, tasksOf)).toEqual([])
})

it('a control: runs of version 4 are stuck, since they begin a silence only when no signal is left', async () => {
  expect(await stuck(4, () => 0)).toEqual([])
  const errors = await stuck(4, () => 1)
  expect(errors.length).toBeGreaterThan(10)
  expect(errors.join()).toContain('TMPRL1100')
})

it('there are runs with several signals to try it on', async () => {
  const runs = await runsOf(5)
  expect(runs.filter(({ history }) => signalsIn(history).length > 1).length).toBeGreaterThan(10)
})
