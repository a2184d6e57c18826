import { expect, it } from 'vitest'
import { callsOf, forgetCalls, hearWords, type StreamedWords, withWords } from './words.ts'

const words = (
  part: number,
  text: string,
  tool: string | null = null,
  end?: 'answered' | 'lost',
): StreamedWords => ({
  being: 'owl',
  moment: 'owl/1/3',
  thread: 't',
  attempt: 1,
  part,
  says: [{ tool, text }],
  ...(end === undefined ? {} : { end }),
})

it('puts pieces of one tool together, and tells what is missing', () => {
  const heard = [words(0, 'Let '), words(1, 'me.'), words(2, '{"a"', 'do'), words(3, ':1}', 'do', 'answered')]
  const whole = heard.reduce<ReturnType<typeof withWords> | undefined>(withWords, undefined)
  expect(whole).toMatchObject({
    pieces: [
      { tool: null, text: 'Let me.' },
      { tool: 'do', text: '{"a":1}' },
    ],
    hasGap: false,
    end: 'answered',
  })
  expect(withWords(withWords(undefined, words(0, 'a')), words(2, 'c')).hasGap).toBe(true)
  expect(withWords(undefined, words(1, 'b')).hasGap).toBe(true)
})

it('keeps no more than a decision can hold', () => {
  const big = withWords(undefined, words(0, 'x'.repeat(300_000)))
  expect(withWords(big, words(1, 'y')).pieces.map(({ text }) => text.length)).toEqual([200_000])
})

it('leaves out words of a moment that has ended, whichever comes first', () => {
  const heard = () => callsOf('owl').map(({ moment }) => moment)
  hearWords(words(0, 'a'))
  expect(heard()).toEqual(['owl/1/3'])
  forgetCalls('owl', 3)
  expect(heard()).toEqual([])
  hearWords(words(1, 'b', null, 'answered'))
  expect(heard()).toEqual([])
  hearWords({ ...words(0, 'c'), moment: 'owl/2/4' })
  expect(heard()).toEqual(['owl/2/4'])
})
