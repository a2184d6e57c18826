import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Breach } from '../test/authority-play.ts'
import { check, live, run } from '../test/authority-runs.ts'
import * as world from '../test/inside.ts'
import { GUARDED, opened } from '../test/weakened.ts'

// A long run: FC_RUNS=10000 npx pnpm@12.21.0 exec vitest run packages/world/src/authority.property
const numRuns = Number(process.env.FC_RUNS ?? (process.env.TREEOS_NIGHTLY === '1' ? 20 : 7))

it('no sequence of births, authorings, signals, leases and moves takes a being beyond what its makers could grant', {
  timeout: 3_600_000,
}, async () => {
  let accepted = 0
  let tried = 0
  let driven = 0
  await fc.assert(
    fc.asyncProperty(run, async (lived) => {
      const play = await live(world, lived)
      accepted += play.accepted
      tried += play.tried
      driven += play.driven
    }),
    { numRuns },
  )
  // Where everything is refused nothing is shown.
  expect(accepted).toBeGreaterThan(tried / 20)
  expect(driven).toBeGreaterThan(accepted / 20)
})

const RUNS_MAX = 100

it.each(GUARDED)('a control: it is found where anyone may %s', { timeout: 600_000 }, async (name) => {
  const found = await check(opened(world, name), RUNS_MAX)
  expect(found.failed, `${RUNS_MAX} runs showed no breach`).toBe(true)
  expect(found.errorInstance).toBeInstanceOf(Breach)
})

it('a control: it is found where a lease that is over still counts', { timeout: 600_000 }, async () => {
  const found = await check({ ...world, requireLease: () => undefined }, RUNS_MAX)
  expect(found.errorInstance).toBeInstanceOf(Breach)
})
