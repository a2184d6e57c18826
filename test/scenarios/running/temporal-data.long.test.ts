import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { moments } from '@treeos/client'
import { Archivist } from '@treeos/host'
import { beingWorkflowId, scheduleId } from '@treeos/protocol'
import { replay } from '@treeos/replay'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { doAs, momentOf, until, wakesOf, wakeUp } from '../../support/life.ts'
import { openReplayer } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

/** More than one run holds: a run ends after 500 events. */
const MOMENTS = 250
/** Of a being at rest, before its run ends. */
const REST_SILENCE_MS = 2000

const world = useWorld()
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treeos-archive-'))
  await world.birth({ name: 'busy', cognition: 'scripted', script: 'silent' })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function runsOf(prefix: string): Promise<{ closed: number; open: number }> {
  const runs = { closed: 0, open: 0 }
  for await (const { status } of world.temporal.workflow.list({
    query: `WorkflowId STARTS_WITH "${prefix}"`,
  }))
    runs[status.name === 'RUNNING' ? 'open' : 'closed'] += 1
  return runs
}
const busyRuns = () => runsOf(beingWorkflowId(world.reality.name, 'busy'))
const ticks = () => runsOf(scheduleId(world.reality.name, 'busy', ''))
const archivist = (keepMs: number | null) =>
  new Archivist({
    client: world.temporal,
    reality: world.reality.name,
    folder,
    keepMs,
    onError: (_where, error) => {
      throw error
    },
  })

it('Temporal keeps no closed run that is archived, nor the ticks of schedules, and all moments replay', async () => {
  const wakes = await wakeUp(
    world,
    'busy',
    Array.from({ length: MOMENTS }, () => 'go'),
  )
  await momentOf(world, wakes.at(-1)!, 120)
  await doAs(world, 'set-schedule', '@busy', { name: 'tick', everySeconds: 1 })
  await until(async () => (await ticks()).closed >= 2, { what: 'two ticks' })
  await doAs(world, 'delete-schedule', '@busy', { name: 'tick' })
  await until(async () => (await ticks()).open === 0)
  await until(async () => (await wakesOf(world, 'busy')).every(({ closedBy }) => closedBy !== null))
  await sleep(2 * REST_SILENCE_MS) // the present run may end in the silence
  const before = await until(async () => {
    const runs = await busyRuns()
    return runs.closed >= 1 && runs.open === 1 ? runs : null
  })

  // The control: an archive alone deletes nothing.
  const keeping = archivist(null)
  expect(await keeping.sweep()).toBeGreaterThanOrEqual(before.closed)
  expect(await keeping.prune()).toBe(0)
  expect(await busyRuns()).toEqual(before)

  const pruning = archivist(0)
  expect(await pruning.sweep()).toBe(0) // all is archived
  expect(await pruning.prune()).toBeGreaterThanOrEqual(before.closed + 2)
  await until(async () => (await busyRuns()).closed === 0, { what: 'the deletion of runs' })
  await until(async () => (await ticks()).closed === 0, { what: 'the deletion of ticks' })
  expect(await busyRuns()).toEqual({ closed: 0, open: 1 })

  const replayed = await replay(world, {
    beings: ['busy'],
    from: 'both',
    replayer: await openReplayer(),
    archive: folder,
  })
  expect(replayed.mismatches).toEqual([])
  expect(replayed.moments).toBe((await moments(world.db, 'busy')).length)
  // The control: without the archive the runs that Temporal deleted are missed.
  const missing = await replay(world, { beings: ['busy'], from: 'both', replayer: await openReplayer() })
  expect(missing.identical).toBe(false)
}, 300_000)
