import { beforeAll, it } from 'vitest'
import { useWorld } from '../../support/use-world.ts'
import { attacked, expectCareful, furnish } from './redteam.ts'

const world = useWorld(attacked)
beforeAll(() => furnish(world))

it('none of 50,000 calls of a hijacked mind goes beyond the careful role, and without its clause many do', () =>
  expectCareful(world, 50_000))
