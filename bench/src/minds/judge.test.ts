import { expect, it } from 'vitest'
import { judge, tallyOfAll } from './judge.ts'

const QUESTION = 'How warm is it in Berlin?'

const plain = (isRight: boolean) => ({ isPlain: true, isForPrograms: false, isRight })
const FOR_PROGRAMS = { isPlain: false, isForPrograms: true, isRight: false }
/** Nothing that anybody reads. */
const EMPTY = { isPlain: false, isForPrograms: false, isRight: false }

it.each([
  ['It is 6.4 degrees and it rains.', plain(true)],
  ['It is warm: about 20 degrees.', plain(false)],
  ['It is 6.4 °C at 09:45.', plain(true)],
  ['{"temperature": 6.4}', FOR_PROGRAMS],
  ['The answer is {"temperature": 6.4}', FOR_PROGRAMS],
  ['<tool_call>{"name": "observe"}</tool_call> 6.4', FOR_PROGRAMS],
  ['I will call weather:observe. It is 6.4.', FOR_PROGRAMS],
  ['observe(52.5, 13.4) gave 6.4', FOR_PROGRAMS],
  ['```\n6.4\n```', FOR_PROGRAMS],
  [QUESTION, EMPTY],
  [' … ', EMPTY],
])('judges %s', (reply, judgement) => {
  expect(judge(QUESTION, reply, /6\.4/)).toEqual(judgement)
})

it('judges only the form of an answer to a question without a fact', () => {
  expect(judge('Are you tired?', 'No.', null)).toEqual({ ...plain(true), isRight: null })
})

it('counts what was delivered, and names what reached a person and only a program reads', () => {
  const replies = ['It is 6.4 degrees.', '{"temperature": 6.4}', ' … ', 'observe(1, 2)', null]
  const answers = replies.map((reply) => ({
    reply,
    judgement: reply === null ? null : judge(QUESTION, reply, null),
  }))
  expect(tallyOfAll(answers)).toEqual({
    asked: 5,
    delivered: 4,
    plain: 1,
    forPrograms: ['{"temperature": 6.4}', 'observe(1, 2)'],
  })
})
