import { expect, it } from 'vitest'
import { byName, inNameOrder, inPathOrder } from './by-name.ts'

const NAMES = ['@clerk-10', '@Zoe', '@clerk-2b', '@clerk-02', '@clerk-2', '@ada', '@clerk-1', '@clerk-2a']
const ORDERED = ['@ada', '@clerk-1', '@clerk-02', '@clerk-2', '@clerk-2a', '@clerk-2b', '@clerk-10', '@Zoe']

it('names are ordered by the numbers in them', () => {
  expect([...NAMES].sort(byName)).toEqual(ORDERED)
  expect(inNameOrder(NAMES, (name) => name)).toEqual(ORDERED)
})

it('a path stands before those inside it, and these before the next one', () => {
  const paths = ['/room-10', '/room-2/b', '/room-2-b', '/', '/room-2', '/room-2/a']
  expect(inPathOrder(paths, (path) => path)).toEqual([
    '/',
    '/room-2',
    '/room-2/a',
    '/room-2/b',
    '/room-2-b',
    '/room-10',
  ])
})
