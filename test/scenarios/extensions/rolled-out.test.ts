/**
 * Two workers of one reality have loaded two versions of an extension, as while a deployment rolls: every
 * moment is lived with the code that is current, and none fails because its first worker has another one.
 */
import type { WorkerOptions } from '@temporalio/worker'
import { REGISTRY_REEL } from '@treeos/core'
import { readVersions, useExtension } from '@treeos/reality'
import { fetchRuns } from '@treeos/replay'
import { listKindsOnReel, listOutcomes, listWorkers } from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { boardIn, firstBoard as first, secondBoard as second } from '../../support/board.ts'
import { doAs, momentOf, tell, until } from '../../support/life.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const BEINGS = Array.from({ length: IS_NIGHT ? 6 : 3 }, (_, i) => `keeper-${i}`)

const model = useModelServer()
const world = useWorld({ extensions: [first], modelServer: model })
beforeAll(async () => {
  for (const name of BEINGS) await world.birth({ name, cognition: 'llm', role: 'board:keeper' })
})

const current = async () => (await readVersions(world)).current.get('board')?.version
const at = () => ({ db: world.owner, reality: world.reality })

/** The SDK refuses two workers of one build in one process. */
const third: Partial<WorkerOptions> = {
  workerDeploymentOptions: {
    version: { deploymentName: 'third', buildId: 'third' },
    useWorkerVersioning: false,
  },
}

/** How often a version of the role became the registered one. */
const rightsSet = async () => {
  const facts = await listKindsOnReel(world.db, REGISTRY_REEL, ['role:set', 'role:deleted'])
  return facts.filter(({ payload }) => payload?.name === 'board:keeper').length
}
/** How often runs waited for another worker: their timers. */
async function countReleases(): Promise<number> {
  let waits = 0
  for (const being of BEINGS) {
    const { history } = (await fetchRuns(world.temporal, world.reality.name, being, null)).at(-1)!
    waits += (history.events ?? []).filter(({ timerStartedEventAttributes: timer }) => timer != null).length
  }
  return waits
}

/** Summons every being, and returns the boards that the prompts of their moments named. */
async function summonAll(text: string): Promise<string[]> {
  const asked = await Promise.all(BEINGS.map((being) => tell(world, being, text)))
  const ended = await Promise.all(asked.map((wake) => momentOf(world, wake, 60)))
  expect(ended.map(({ outcome, reason = null }) => [outcome, reason])).toEqual(
    BEINGS.map(() => ['act', null]),
  )
  const boards = model.requests.slice(-BEINGS.length).map(({ body }) => {
    const [system] = body?.messages ?? []
    return boardIn(system?.content)
  })
  return [...new Set(boards)]
}

describe('with two versions side by side', () => {
  it('a worker with another version changes no rights, and hands moments on that need the current one', async () => {
    expect(await summonAll('begin')).toEqual(['1.0.0'])
    await world.startWorker([second])
    await until(async () => (await readVersions(world)).installed.get('board')?.length === 2)
    for (let i = 0; i < 3; i++) expect(await summonAll(`go on ${i}`)).toEqual(['1.0.0'])
    expect(await current()).toBe('1.0.0')
  }, 120_000)

  it('a command makes the other one current, and takes it back', async () => {
    for (const [version, before] of [
      ['2.0.0', '1.0.0'],
      ['1.0.0', '2.0.0'],
      ['2.0.0', '1.0.0'],
    ] as const) {
      expect(await useExtension(at(), 'board', version)).toEqual({ before, workers: 1 })
      expect(await summonAll(`now ${version}`)).toEqual([version])
    }
  }, 120_000)

  it('what a person does goes to the worker that has its code', async () => {
    for (let i = 0; i < 4; i++)
      expect((await doAs(world, 'board:note', '@operator', {})).result).toBe('2.0.0')
  }, 60_000)

  it('an effect is performed by a worker that has it, though it has one attempt', async () => {
    for (let i = 0; i < 4; i++)
      expect((await doAs(world, 'board:post-2', '@operator', {})).result).toBe('posted by 2.0.0')
    expect(world.faults).toEqual([])
  }, 60_000)

  it('each start of a worker leaves the rights as they are', async () => {
    const before = await rightsSet()
    expect(before).toBe(4) // the first, and what three commands made current
    for (const extension of [first, second, first]) {
      const stop = await world.startWorker([extension], third)
      expect(await summonAll('still here?')).toEqual(['2.0.0'])
      await stop()
    }
    expect(await rightsSet()).toBe(before)
  }, 120_000)

  it('refuses a version that no worker brought', async () => {
    await expect(useExtension(at(), 'board', '3.0.0')).rejects.toMatchObject({
      code: 'EXTENSION_NOT_FOUND',
      message: expect.stringContaining('1.0.0, 2.0.0'),
    })
  })

  it('what no living worker has makes way for what one has, forward and back, also while minds think', async () => {
    await world.stopWorker() // both
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

  it('everything replays and verifies', async () => {
    await expectUnbroken(world)
    const replayed = await expectReplays(world)
    expect(replayed.identical).toBe(true)
    for (const being of BEINGS)
      expect((await listOutcomes(world.db, being, 100)).map(({ record }) => record.outcome)).not.toContain(
        'failure',
      )
  }, 60_000)
})
