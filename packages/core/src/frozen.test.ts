import { expect, it } from 'vitest'
import { frozen } from './frozen.ts'

it('freezes objects and lists at any depth, and gives the same value', () => {
  const value = { a: [{ b: 1 }], c: null, d: 'x' }
  expect(frozen(value)).toBe(value)
  expect(() => value.a.push({ b: 2 })).toThrow(TypeError)
  expect(() => {
    ;(value.a[0] as { b: number }).b = 2
  }).toThrow(TypeError)
  expect(value).toEqual({ a: [{ b: 1 }], c: null, d: 'x' })
})
