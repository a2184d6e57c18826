import { describe, expect, it } from 'vitest'
import { judgeLetters, type Letter } from './letters.ts'

const came = (at: number, more: Partial<Letter> = {}): Letter => ({
  text: 'one',
  key: 'k/1',
  at,
  wasKept: false,
  ...more,
})

describe('letters are in order when', () => {
  it.each([
    { what: 'each came once', letters: [came(1), came(2, { text: 'two', key: 'k/2' })], faults: [] },
    { what: 'one came again after a death', letters: [came(1), came(9)], faults: [5] },
  ])('$what', ({ letters, faults }) => {
    const posted = [...new Set(letters.map(({ text }) => text))]
    expect(judgeLetters(letters, posted, faults)).toEqual([])
  })
})

describe('it is noticed when a letter', () => {
  it.each([
    { what: 'never came', letters: [], faults: [], says: 'letter one came under 0 keys' },
    {
      what: 'came again without a death between',
      letters: [came(2000), came(3000)],
      faults: [1000, 4000],
      says: 'letter one came 2 times, with nothing dying between 1 and 2',
    },
    {
      what: 'came again though what came of it was kept',
      letters: [came(1), came(9, { wasKept: true })],
      faults: [5],
      says: 'letter one came again after what came of it was kept',
    },
    {
      what: 'came again under another key',
      letters: [came(1), came(9, { key: 'k/2' })],
      faults: [5],
      says: 'letter one came under 2 keys',
    },
    {
      what: 'was posted by nobody',
      letters: [came(1), came(2, { text: 'stray', key: 'k/2' })],
      faults: [],
      says: 'letter stray was posted by nobody',
    },
    {
      what: 'has the key of another',
      letters: [came(1), came(2, { text: 'two' })],
      faults: [],
      posted: ['one', 'two'],
      says: 'key k/1 came with the letters one, two',
    },
  ])('$what', ({ letters, faults, posted = ['one'], says }) => {
    expect(judgeLetters(letters, posted, faults)).toEqual([says])
  })
})
