import { type ChainFault, verifyAll } from '@treeos/proofs'
import { HistoryReplayer, type ReplayReport, replay } from '@treeos/replay'
import { FOLD } from '@treeos/world'
import { expect, inject } from 'vitest'
import type { World } from './world.ts'

/** Made once for all files of a run. */
export const replayBundle = () => ({ codePath: inject('replayBundlePath') })

let opened: Promise<HistoryReplayer> | null = null
/** The one of this process, which runs many test files. It ends with the process. */
export const openReplayer = (): Promise<HistoryReplayer> => {
  opened ??= HistoryReplayer.open(replayBundle())
  return opened
}
/** Replays every moment of this world, from the chain and from Temporal's histories, or from one of them. */
export async function expectReplays(
  world: World,
  from: 'chain' | 'temporal' | 'both' = 'both',
): Promise<ReplayReport> {
  const replayed = await replay(world, {
    beings: null,
    from,
    ...(from === 'chain' ? {} : { replayer: await openReplayer() }),
  })
  expect(replayed.mismatches).toEqual([])
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
