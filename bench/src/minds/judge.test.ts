import { expect, it } from 'vitest'
import { judge } from './judge.ts'

const QUESTION = 'How warm is it in Berlin?'

it.each([
  ['It is 6.4 degrees and it rains.', { isPlain: true, isRight: true }],
  ['It is warm: about 20 degrees.', { isPlain: true, isRight: false }],
  ['It is 6.4 °C at 09:45.', { isPlain: true, isRight: true }],
  ['{"temperature": 6.4}', { isPlain: false, isRight: false }],
  ['The answer is {"temperature": 6.4}', { isPlain: false, isRight: false }],
  ['<tool_call>{"name": "observe"}</tool_call> 6.4', { isPlain: false, isRight: false }],
  ['I will call weather:observe. It is 6.4.', { isPlain: false, isRight: false }],
  ['observe(52.5, 13.4) gave 6.4', { isPlain: false, isRight: false }],
  ['```\n6.4\n```', { isPlain: false, isRight: false }],
  [QUESTION, { isPlain: false, isRight: false }],
  [' … ', { isPlain: false, isRight: false }],
])('judges %s', (reply, judgement) => {
  expect(judge(QUESTION, reply, /6\.4/)).toEqual(judgement)
})

it('judges only the form of an answer to a question without a fact', () => {
  expect(judge('Are you tired?', 'No.', null)).toEqual({ isPlain: true, isRight: null })
})
