import { expect, it } from 'vitest'
import { Breach } from '../test/authority-play.ts'
import { GUARDS } from '../test/guards.ts'
import { raidWorlds } from '../test/hijacked.ts'
import { withoutGuard } from '../test/mutants.ts'
import * as world from './index.ts'

// A long run: RAID_CALLS=50000 npx pnpm@12.21.0 exec vitest run packages/world/src/hijacked.property
const CALLS = Number(process.env.RAID_CALLS ?? 3000)
/** Without one of the guards a raid of so many calls gets through. */
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

it.each(
  GUARDS.filter(({ guard }) =>
    [
      'gate: the lists',
      'sight: what the lists of the moment hold, below the ceilings',
      'set-space: by who may',
      'set-role: within reach',
    ].includes(guard),
  ),
)('and without this guard it does: $guard', { timeout: 600_000 }, async (mutation) => {
  const raid = withoutGuard(mutation, (code) => raidWorlds(code, CALLS_MAX, SEED))
  const error: unknown = await raid.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error, `${CALLS_MAX} calls showed no breach`).toBeInstanceOf(Error)
  const { cause } = error as Error
  expect(cause).toBeInstanceOf(Breach)
  if (process.env.SHOW_GUARDS) console.log(`${mutation.guard}: ${cause}`)
})
