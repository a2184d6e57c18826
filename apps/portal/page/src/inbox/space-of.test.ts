import { expect, it } from 'vitest'
import { spaceOf } from './space-of.ts'

it.each([
  [{ from: null, content: { event: 'asked', on: '/shop' } }, '/shop'],
  [{ from: null, content: { event: 'asked', on: '@ada' } }, null],
  [{ from: null, content: { event: 'change', address: '/hall', name: 'dark' } }, '/hall'],
  [{ from: '@ada', content: { on: '/shop' } }, null],
  [{ from: null, content: '/shop' }, null],
])('the space of %j is %s', (entry, space) => {
  expect(spaceOf(entry)).toBe(space)
})
