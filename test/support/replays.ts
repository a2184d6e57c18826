import { randomInt } from 'node:crypto'
import type { BeingName } from '@treeos/core'
import { type ChainFault, verifyAll } from '@treeos/proofs'
import { HistoryReplayer, type ReplayReport, replay } from '@treeos/replay'
import { listBeingsWithMoments } from '@treeos/store'
import { FOLD } from '@treeos/world'
import { expect, inject } from 'vitest'
import { IS_NIGHT } from './night.ts'
import type { World } from './world.ts'

/** Made once for all files of a run. */
export const replayBundle = () => ({ codePath: inject('replayBundlePath') })

let opened: Promise<HistoryReplayer> | null = null
/** The one of this process, which runs many test files. It ends with the process. */
export const openReplayer = (): Promise<HistoryReplayer> => {
  opened ??= HistoryReplayer.open(replayBundle())
  return opened
}
/** Of a world with more beings, these many are replayed from Temporal by day, drawn by chance. */
const BEINGS_BY_DAY = 3

/** Replays every moment of this world, from the chain and from Temporal's histories, or from one of them. */
export async function expectReplays(
  world: World,
  from: 'chain' | 'temporal' | 'both' = 'both',
): Promise<ReplayReport> {
  const ask = async (from: 'chain' | 'temporal' | 'both', beings: readonly BeingName[] | null) =>
    replay(world, { beings, from, ...(from === 'chain' ? {} : { replayer: await openReplayer() }) })
  const beings = await listBeingsWithMoments(world.db)
  const isAll = from !== 'both' || IS_NIGHT || beings.length <= BEINGS_BY_DAY
  const replayed = await ask(isAll ? from : 'chain', null)
  expect(replayed.mismatches).toEqual([])
  if (!isAll) {
    const drawn = Array.from({ length: BEINGS_BY_DAY }, () =>
      beings.splice(randomInt(beings.length), 1),
    ).flat()
    expect((await ask('temporal', drawn)).mismatches).toEqual([])
  }
  expect(replayed.moments).toBeGreaterThan(0)
  return replayed
}

/** Verifies every reel and every being's moment records, and all that is stored beside them. */
export async function expectUnbroken(world: World): Promise<void> {
  expect(await brokenIn(world)).toEqual([])
}

/** What `treeos verify` reports. */
export const brokenIn = async (world: World): Promise<readonly ChainFault[]> =>
  (await verifyAll(world.db, world.reality.id, FOLD)).broken
