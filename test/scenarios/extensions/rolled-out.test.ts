/**
 * Two workers of one reality have loaded two versions of an extension, as while a deployment rolls: every
 * moment is lived with the code that is current, and none fails because its first worker has another one.
 */
import type { WorkerOptions } from '@temporalio/worker'
import { REGISTRY_REEL } from '@treeos/core'
import { readVersions, useExtension } from '@treeos/reality'
import { listKindsOnReel } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import { firstBoard as first, secondBoard as second } from '../../support/board.ts'
import { doAs, until } from '../../support/life.ts'
import { useBoards } from './boards-scene.ts'

const { world, current, summonAll, expectSound } = useBoards()
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

  it('what no living worker has makes way for what one has', async () => {
    await world.stopWorker() // both
    await world.startWorker([first])
    expect(await summonAll('only one')).toEqual(['1.0.0'])
    expect(await current()).toBe('1.0.0')
  }, 120_000)

  it('everything replays and verifies', expectSound, 60_000)
})
