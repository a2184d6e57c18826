import { expect, it } from 'vitest'
import { muslFault } from './musl.ts'

it('is told of a Linux whose Node names no glibc, and of nothing else', () => {
  expect(muslFault('linux', { glibcVersionRuntime: '2.36' })).toBeNull()
  expect(muslFault('linux', { nodejsVersion: 'v24.0.0' })).toMatch(/^this Linux has musl and not glibc/)
  expect(muslFault('darwin', {})).toBeNull()
})

it('this machine, which runs the tests with Postgres, has none', () => {
  expect(muslFault()).toBeNull()
})
