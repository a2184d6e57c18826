import { expect, it } from 'vitest'
import { judgeWaiting } from './migrations.ts'

it('a database of an older version is named with what brings it up to date', () => {
  expect(judgeWaiting([], '')).toMatchObject({ ok: true })
  expect(judgeWaiting(['002-later', '003-more'], ' --data /w')).toEqual({
    ok: false,
    found: 'the migrations 002-later, 003-more wait: workers of this version take no work',
    mend: 'treeos down --data /w, then treeos up --data /w',
  })
})
