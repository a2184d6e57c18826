/** Versions of an extension whose last worker ends: forward and back, in the middle of thoughts, and with none left. */
import { fetchRuns } from '@treeos/replay'
import { listWorkers } from '@treeos/store'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { firstBoard as first, secondBoard as second } from '../../support/board.ts'
import { momentOf, tell, until } from '../../support/life.ts'
import { BEINGS, useBoards } from './boards-scene.ts'

const { model, world, current, summonAll, expectSound } = useBoards()

/** How often runs waited for another worker: their timers. */
async function countReleases(): Promise<number> {
  let waits = 0
  for (const being of BEINGS) {
    const { history } = (await fetchRuns(world.temporal, world.reality.name, being, null)).at(-1)!
    waits += (history.events ?? []).filter(({ timerStartedEventAttributes: timer }) => timer != null).length
  }
  return waits
}

describe('with one version or none', () => {
  it('what no living worker has makes way for what one has, forward and back, also while minds think', async () => {
    await world.stopWorker()
    for (const [extension, version] of [
      [first, '1.0.0'],
      [second, '2.0.0'],
      [first, '1.0.0'],
    ] as const) {
      const stop = await world.startWorker([extension])
      expect(await summonAll('only one')).toEqual([version])
      expect(await current()).toBe(version)
      await stop()
    }
    const stopOld = await world.startWorker([first])
    await summonAll('begin again')
    const gate = Promise.withResolvers<void>()
    let asked = 0
    model.script(async () => {
      asked += 1
      if (asked <= BEINGS.length) await gate.promise
      return undefined
    })
    const thoughts = await Promise.all(BEINGS.map((being) => tell(world, being, 'think long')))
    await until(() => asked === BEINGS.length, { what: 'the old worker to ask' })
    await world.startWorker([second])
    await until(async () => (await listWorkers(world.db)).length === 2, { what: 'the new worker' })
    const stopped = stopOld() // its calls are lost
    for (const wake of thoughts) expect(await momentOf(world, wake, 60)).toMatchObject({ outcome: 'act' })
    gate.resolve()
    await stopped
    expect(await current()).toBe('2.0.0')
  }, 180_000)

  it('what no living worker has loaded at all waits for one, and does not fail', async () => {
    await world.stopWorker()
    const stop = await world.startWorker([])
    await until(async () => (await listWorkers(world.db)).length === 1, {
      what: 'a worker without the board',
    })
    const asked = await Promise.all(BEINGS.map((being) => tell(world, being, 'anybody here?')))
    await until(async () => (await countReleases()) > BEINGS.length, { what: 'all to be given back' })
    const { rows } =
      await sql`select from treeos.inbox where id = any(${asked}) and closed_by is not null`.execute(world.db)
    expect(rows).toEqual([])
    await world.startWorker([second])
    for (const wake of asked) expect(await momentOf(world, wake, 60)).toMatchObject({ outcome: 'act' })
    await stop()
  }, 120_000)

  it('everything replays and verifies', expectSound, 60_000)
})
