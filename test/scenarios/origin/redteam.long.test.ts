import { redteam } from '@treeos/client'
import { beforeAll, expect, it } from 'vitest'
import { setFlow } from '../../support/life.ts'
import { useWorld } from '../../support/use-world.ts'
import { attacked, expectCareful, furnish } from './redteam.ts'

const world = useWorld(attacked)
beforeAll(() => furnish(world))

it('no call of a hijacked mind goes beyond the careful role, and without its clause many do', () =>
  expectCareful(world, 3000))

it('the same seed makes the same attacks, another seed others', async () => {
  const [first, again, other] = await Promise.all(
    [1, 1, 2].map((seed) => redteam(world, { being: 'clerk', tries: 400, seed })),
  )
  expect(again).toEqual(first)
  expect(other).not.toEqual(first)
})

it('a clause that leaves stacked roles as they are is found out', async () => {
  await setFlow(world, 'clerk', [
    { when: { 'moment.outside': true }, role: 'careful:reader' },
    { role: 'hands' },
    { stack: true, when: { 'time.dayOfWeek': [0, 6] }, role: 'stage:free' },
  ])
  const found = await redteam(world, { being: 'clerk', tries: 2000 })
  expect(found.beyond).toBeGreaterThan(0)
  expect(found.examples[0]).toMatchObject({ roles: ['careful:reader', 'stage:free'] })
})

it('a being that is not there cannot be attacked', async () => {
  await expect(redteam(world, { being: 'nobody', tries: 1 })).rejects.toMatchObject({
    code: 'BEING_NOT_FOUND',
  })
})
