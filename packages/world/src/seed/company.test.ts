import { expect, it } from 'vitest'
import type { RelationResolver } from '../read/expand-surface.ts'
import { seed } from './substrate-extension.ts'

type Input = Parameters<RelationResolver>[0]

const input = (me: object): Input =>
  ({
    me: { name: 'ida', parent: 'operator', space: '/', cognition: { kind: 'human' }, ...me },
    asker: null,
    world: { occupants: async () => ['birther', 'ida'] },
  }) as unknown as Input

const driven = { cognition: { kind: 'llm' }, inhabited: { epoch: 1, by: 'operator', under: null } }

// A mind that others speak to must not be told to speak to its maker, or to who is beside it.
it.each<[string, object, readonly string[]]>([
  ['a person', {}, ['@operator', '@birther', '@ida']],
  ['a person without a maker', { parent: null }, ['@birther', '@ida']],
  ['a mind of its own', { cognition: { kind: 'llm' } }, []],
  ['a script', { cognition: { kind: 'scripted', script: 'echo' } }, []],
  ['a mind that a person drives', driven, ['@operator', '@birther', '@ida']],
  [
    'a mind under a lease that lends nothing',
    { ...driven, inhabited: { ...driven.inhabited, own: true } },
    [],
  ],
])('the company of %s', async (_what, me, company) => {
  expect(await seed.resolvers.company?.(input(me))).toEqual(company)
})
