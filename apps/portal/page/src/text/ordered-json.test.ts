import { expect, it } from 'vitest'
import { orderedJson } from './ordered-json.ts'

it('equal values have equal JSON, in whatever order their keys are written', () => {
  const one = { b: [{ d: 1, c: null }], a: '__proto__' }
  const other = { a: '__proto__', b: [{ c: null, d: 1 }] }
  expect(orderedJson(one)).toBe(orderedJson(other))
  expect(JSON.parse(orderedJson(one))).toEqual(one)
  expect(orderedJson([1, 2])).not.toBe(orderedJson([2, 1])) // a list has an order of its own
})
