import { expect, it } from 'vitest'
import { classOfThrown, messageOfThrown, readThrown } from './thrown-errors.ts'

const fail = () => {
  throw new Error('gotcha')
}
const everyTrap = new Proxy({}, { get: fail, getPrototypeOf: fail, has: fail })
const odd = Object.defineProperty(new Error('x'), 'message', { get: fail })

it.each([
  [new RangeError('too far'), 'RangeError', 'too far'],
  ['a text', 'string', 'a text'],
  [undefined, 'undefined', 'undefined'],
  [null, 'object', 'null'],
  [Object.create(null), 'object', 'something that cannot be read'],
  [{ toString: fail }, 'object', 'something that cannot be read'],
  [odd, 'Error', 'something that cannot be read'],
  [everyTrap, 'something that cannot be read', 'something that cannot be read'],
])('reads what was thrown, whatever it is', (thrown, kind, message) => {
  expect([classOfThrown(thrown), messageOfThrown(thrown)]).toEqual([kind, message])
})

it('gives the other value where reading throws', () => {
  expect([readThrown(fail, 'otherwise'), readThrown(() => 'read', 'otherwise')]).toEqual([
    'otherwise',
    'read',
  ])
})
