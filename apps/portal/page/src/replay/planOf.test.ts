import { expect, it } from 'vitest'
import { upFrom } from './planOf.ts'

it.each([
  ['/', ['/']],
  ['/a', ['/a', '/']],
  ['/a/b/c', ['/a/b/c', '/a/b', '/a', '/']],
])('who is in %s is in %j', (path, all) => {
  expect(upFrom(path)).toEqual(all)
})
