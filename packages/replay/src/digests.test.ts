import { digestOf } from '@treeos/store'
import { expect, it } from 'vitest'
import { LastDigest } from './digests.ts'

it('gives the digest of each value, also after one that is nearly the same', () => {
  const last = new LastDigest()
  const values = [
    { roles: { a: 1 }, flow: [1, 2] },
    { flow: [1, 2], roles: { a: 1 } },
    { roles: { a: 1 }, flow: [2, 1] },
    { roles: { a: '1' }, flow: [2, 1] },
    { roles: { a: '1' } },
    { roles: { a: '1' }, more: null },
    null,
    [],
    {},
    0,
  ]
  for (const value of [...values, ...values.toReversed()]) expect(last.of(value)).toBe(digestOf(value))
})

it('lets nobody change the value that it knows the digest of', () => {
  const value = { roles: { a: [1] } }
  new LastDigest().of(value)
  expect(() => value.roles.a.push(2)).toThrow(TypeError)
})

it('refuses what is not JSON, also after a value that looks the same', () => {
  const last = new LastDigest()
  last.of({ a: 0 })
  expect(() => last.of({ a: -0 })).toThrow('negative zero')
  expect(() => last.of({ a: 0, b: undefined })).toThrow('not JSON')
  last.of([null])
  expect(() => last.of([undefined])).toThrow('not JSON')
})
