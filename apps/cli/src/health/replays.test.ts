import type { StoredReplayRun } from '@treeos/store'
import { expect, it } from 'vitest'
import { judgeReplays } from './replays.ts'

const HOUR = 3600
const LAST: StoredReplayRun = {
  login: 'treeos_commands',
  record: 'both',
  begunAt: 0,
  ageSeconds: 5 * HOUR,
  newest: 'ann/1/3',
  moments: 7,
  differences: 0,
  accepted: 0,
  elsewhere: 0,
  differing: [],
}
const known = { last: LAST, realitySeconds: 100 * HOUR, hours: 24 }

it('says when all moments were replayed last, by whom, how far, and that nothing differed', () => {
  expect(judgeReplays(known, '')).toEqual({
    ok: true,
    found:
      '7 moments up to ann/1/3 against the chain and Temporal, 5 h ago by the login treeos_commands: no difference; due every 24 h',
    mend: null,
  })
})

it.each([
  { what: 'a replay', ageHours: 47.9, isLate: false },
  { what: 'a replay', ageHours: 48.1, isLate: true },
  { what: 'a reality that was never replayed', ageHours: 47.9, isLate: false },
  { what: 'a reality that was never replayed', ageHours: 48.1, isLate: true },
])('$what of $ageHours h is late where one is due every 24 h: $isLate', ({ what, ageHours, isLate }) => {
  const seconds = ageHours * HOUR
  const found =
    what === 'a replay'
      ? judgeReplays({ ...known, last: { ...LAST, ageSeconds: seconds } }, ' --data d')
      : judgeReplays({ ...known, last: null, realitySeconds: seconds }, ' --data d')
  expect(found.ok).toBe(!isLate)
  if (isLate) expect(found).toMatchObject({ optional: true, mend: 'treeos replay --all --data d' })
})

it('is never late where none is due', () => {
  expect(judgeReplays({ last: null, realitySeconds: 1000 * HOUR, hours: 0 }, '')).toMatchObject({
    ok: true,
    found: 'never yet; none is due: TREEOS_REPLAY_HOURS is 0',
  })
})

it('a difference is an error however old the replay is, and one that a person accepted is not', () => {
  const differs = { ...LAST, differences: 2, differing: ['@ann 3'] }
  const found = judgeReplays({ ...known, last: differs }, '')
  expect(found).toMatchObject({ ok: false, mend: 'treeos replay --all names each' })
  expect(found.found).toContain('2 differences, in @ann 3')
  expect(found).not.toHaveProperty('optional')
  expect(judgeReplays({ ...known, last: { ...LAST, accepted: 1 } }, '')).toMatchObject({ ok: true })
})

it('tells what may come from other extensions, which is no error', () => {
  const found = judgeReplays({ ...known, last: { ...LAST, elsewhere: 2 } }, '')
  expect(found.ok).toBe(true)
  expect(found.found).toContain('no difference, and 2 that may come from other extensions')
})
