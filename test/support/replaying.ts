import { setTimeout as sleep } from 'node:timers/promises'
import { verifyChains } from '@treeos/chain'
import { type Replayed, replay } from '@treeos/replay'
import { expect, inject } from 'vitest'
import type { World } from './world.ts'

/** Made once for all files of a run. */
export const replayBundle = () => ({ codePath: inject('replayBundlePath') })

/**
 * Everything that was lived in this world can be lived again: from the chain, and from Temporal's histories too unless
 * only the chain is asked. Nobody may be in the middle of a moment; a workflow task whose stamp is committed may still be
 * on its way to history, which on a busy machine takes a while.
 */
export async function expectReplays(
  world: World,
  from: 'chain' | 'temporal' | 'both' = 'both',
): Promise<Replayed> {
  const all = () => replay(world, { beings: null, from, bundle: replayBundle() })
  let replayed = await all()
  for (let tries = 0; tries < 5 && replayed.mismatches.some(isUnderWay); tries += 1) {
    await sleep(2_000)
    replayed = await all()
  }
  expect(replayed.mismatches).toEqual([])
  expect(replayed.moments).toBeGreaterThan(0)
  return replayed
}

const isUnderWay = ({ field, temporal }: Replayed['mismatches'][number]) =>
  field === 'history' && temporal === null

/** Every reel and every being's records are chains without a gap. */
export async function expectUnbroken(world: World): Promise<void> {
  expect(await verifyChains(world.db, world.reality.id)).toMatchObject({ ok: true, broken: [] })
}
