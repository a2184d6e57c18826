import { expect, it } from 'vitest'
import { Breach } from '../test/authority-play.ts'
import { raidWorlds } from '../test/hijacked.ts'
import * as world from '../test/inside.ts'
import { opened } from '../test/weakened.ts'

// A long run: RAID_CALLS=50000 npx pnpm@12.21.0 exec vitest run packages/world/src/hijacked.property
const CALLS = Number(process.env.RAID_CALLS ?? 3000)
/** Without one guard a raid of so many calls gets through. */
const CALLS_MAX = 30_000
const SEED = 7

it(`a mind that answers whatever an attacker chose does nothing beyond its lists and its stance (${CALLS} calls)`, {
  timeout: 3_600_000,
}, async () => {
  const { calls, malformed, accepted } = await raidWorlds(world, CALLS)
  if (process.env.SHOW_RAID) console.log({ calls, malformed, accepted })
  expect(calls).toBeGreaterThanOrEqual(CALLS)
  // Where everything is refused, by a gate or by the parser, nothing is shown.
  expect(accepted).toBeGreaterThan(calls / 100)
  expect(malformed).toBeLessThan(calls / 2)
})

it('a control: it is found where anyone may set-space', { timeout: 600_000 }, async () => {
  const raid = raidWorlds(opened(world, 'set-space'), CALLS_MAX, SEED)
  const error: unknown = await raid.catch((thrown: unknown) => thrown)
  expect(error, `${CALLS_MAX} calls showed no breach`).toBeInstanceOf(Error)
  expect((error as Error).cause).toBeInstanceOf(Breach)
})
