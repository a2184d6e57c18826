import { parseCall } from '@treeos/core'
import { buildRegistry, seed } from '@treeos/world'
import { expect, it } from 'vitest'
import { nameOfCall } from './stored-stamp.ts'

const registry = buildRegistry([seed])

it.each([
  [{ verb: 'see', address: '@ann' }, 'see'],
  [{ verb: 'summon', target: '@ann', content: 'a secret' }, 'summon'],
  [
    { verb: 'do', operation: 'set-being', target: '@ann', args: { field: 'a.b', value: 'a secret' } },
    'do set-being',
  ],
  [{ verb: 'be', operation: 'birth', args: { name: 'ann' } }, 'be birth'],
  [{ verb: 'do', operation: 'a secret that a model wrote', target: null, args: {} }, 'do (unknown)'],
  [{ verb: 'be', operation: 'a-secret', args: {} }, 'be (unknown)'],
])('of the call %j history holds the name alone, where the worker knows it', (call, name) => {
  expect(nameOfCall(parseCall(call), registry)).toBe(name)
})
