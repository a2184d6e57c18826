import type { ExtensionVersionsView } from '@treeos/reality'
import { expect, it } from 'vitest'
import { judgeVersions } from './versions.ts'

const seen = (workers: number, newer: number): ExtensionVersionsView => ({
  extension: 'weather',
  current: '1.0.0',
  workers,
  versions: [
    { version: '1.0.0', digest: 'a'.repeat(64), workers },
    { version: '2.0.0', digest: 'b'.repeat(64), workers: newer },
  ],
})

it('is well while a worker has the current version, whatever others have', () => {
  expect(judgeVersions([seen(1, 3)])).toMatchObject([{ ok: true }])
})

it.each([
  { newer: 2, mend: 'start a worker that loads it, or treeos extension use weather 2.0.0' },
  { newer: 0, mend: 'start a worker that loads it, or treeos extension end weather' },
])('says what moments wait for, with $newer workers of another version', ({ newer, mend }) => {
  const found = 'no living worker has loaded weather 1.0.0, which is current: moments that need it wait'
  expect(judgeVersions([seen(0, newer)])).toMatchObject([{ ok: false, found, mend }])
})

it('says nothing of one that has ended', () => {
  expect(judgeVersions([{ ...seen(0, 0), current: null }])).toMatchObject([{ ok: true }])
})
