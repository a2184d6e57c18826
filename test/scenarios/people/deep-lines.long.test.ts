import { inhabit } from '@treeos/client'
import { expect, it } from 'vitest'
import { doAs, play } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })

it('the first operator inhabits as far down as births go, 63 of them, and nobody beside the line does', async () => {
  await world.birth({ name: 'bob', cognition: 'human', role: 'stage:free' })
  // the standard budget allows a line of 32
  await doAs(world, 'set-budget', '/', { for: 'scripted', births: 64 })
  const born = { cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' }
  await world.birth({ name: 'line-1', ...born })
  let maker = 'line-1'
  for (let depth = 2; depth <= 63; depth++) {
    const args = { name: `line-${depth}`, ...born }
    expect(await play(world, maker, { verb: 'be', operation: 'birth', args })).toMatchObject({
      outcome: 'act',
    })
    maker = args.name
  }
  const inhabitation = await inhabit(world, { being: maker, as: 'operator' })
  await inhabitation.release()
  await expect(inhabit({ ...world, person: 'bob' }, { being: maker, as: 'bob' })).rejects.toMatchObject({
    code: 'FORBIDDEN',
  })
})
