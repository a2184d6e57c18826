import { verifyChains } from '@treeos/chain'
import { type Replayed, replay } from '@treeos/replay'
import { expect } from 'vitest'
import type { World } from './world.ts'

/**
 * Everything that was lived in this world can be lived again: from the chain, and from Temporal's histories too unless
 * only the chain is asked. Nobody may be in the middle of a moment.
 */
export async function expectReplays(
  world: World,
  from: 'chain' | 'temporal' | 'both' = 'both',
): Promise<Replayed> {
  const replayed = await replay(world, { beings: null, from })
  expect(replayed.mismatches).toEqual([])
  expect(replayed.moments).toBeGreaterThan(0)
  return replayed
}

/** Every reel and every being's records are chains without a gap. */
export async function expectUnbroken(world: World): Promise<void> {
  expect(await verifyChains(world.db, world.reality.id)).toMatchObject({ ok: true, broken: [] })
}
