import type { MomentId } from '@treeos/core'
import type { WordNotice } from '@treeos/store'
import { expect, it } from 'vitest'
import { AnswerWords, proseIn } from './answer-words.ts'

it.each([
  ['Hello there', 'Hello there'],
  ['Hello', ''], // a name of a tool may begin like this
  ['summon(content="hi")', ''],
  ['{"content":"hi"}', ''],
  ['<tool_call>', ''],
  ['  ```json', ''],
  ['Well, I look it up.\n<tool_call>{"name":"do"}', 'Well, I look it up.'],
  ['Well, I look it up.\n{"name":"do"}', 'Well, I look it up.'],
  ['One line.\n', 'One line.'],
  ['One line.\nTwo lines.', 'One line.\nTwo lines.'],
  ['A set {1, 2} and a list [3].', 'A set {1, 2} and a list [3].'],
  ['Done.<|im_end|>', 'Done.'],
])('of %j it tells %j', (text, told) => {
  expect(proseIn(text)).toBe(told)
})

function hearing() {
  const said: string[] = []
  let tell: (words: WordNotice) => void = () => undefined
  const listener = {
    streamWords(_being: string, heard: (words: WordNotice) => void) {
      tell = heard
      return { ready: Promise.resolve(), end: () => undefined }
    },
  }
  const words = new AnswerWords('kid', { listener, heard: (text) => void said.push(text) })
  const notice = (part: number, text: string, more: Partial<WordNotice> = {}) =>
    tell({
      being: 'kid',
      moment: 'kid/1/1' as MomentId,
      thread: 't',
      answers: 'q',
      attempt: 1,
      part,
      says: [{ tool: null, text }],
      ...more,
    })
  return { said, words, notice }
}

it('tells the words of the answer to its question alone, also those that came before it was known', () => {
  const { said, words, notice } = hearing()
  notice(0, 'The lamp ')
  notice(0, 'of somebody else', { answers: 'other' })
  notice(0, 'reaches nobody', { answers: null })
  words.of('q')
  notice(1, 'is red.')
  expect(said).toEqual(['The lamp ', 'is red.'])
})

it('tells nothing after a gap, of a second call, or of a call of a tool', () => {
  const gap = hearing()
  gap.words.of('q')
  gap.notice(0, 'One two ')
  gap.notice(2, 'four')
  expect(gap.said).toEqual(['One two '])

  const again = hearing()
  again.words.of('q')
  again.notice(0, 'One two ')
  again.notice(0, 'Another one', { attempt: 2 })
  expect(again.said).toEqual(['One two '])

  const tool = hearing()
  tool.words.of('q')
  tool.notice(0, '{"content":"x"}', { says: [{ tool: 'summon', text: '{"content":"x"}' }] })
  tool.notice(1, 'plain words')
  expect(tool.said).toEqual([])
})
