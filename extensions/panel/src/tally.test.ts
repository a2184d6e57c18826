import { describe, expect, it } from 'vitest'
import { decide, type PanelQuestion, type Rule } from './tally.ts'

const heard = (...answers: PanelQuestion['answer'][]): PanelQuestion[] =>
  answers.map((answer, i) => ({ member: `m${i}`, answer }))
const open = null
const carried = (answer: PanelQuestion['answer']) => ({ answer })
const none = carried(null)

describe('what was heard comes to', () => {
  it.each<[Rule, number, PanelQuestion[], ReturnType<typeof decide>]>([
    ['first', 2, heard(), open],
    ['first', 2, heard(null), open],
    ['first', 2, heard(null, 'b'), carried('b')],
    ['first', 2, heard('a'), carried('a')],
    ['first', 2, heard(null, null), none],
    ['majority', 1, heard('a'), carried('a')],
    ['majority', 3, heard('a'), open],
    ['majority', 3, heard('a', 'a'), carried('a')],
    ['majority', 3, heard('a', 'b'), open],
    ['majority', 3, heard('a', 'b', 'b'), carried('b')],
    ['majority', 3, heard('a', 'b', 'c'), none],
    ['majority', 3, heard(null, null), none],
    ['majority', 3, heard(null, 'a'), open],
    ['majority', 4, heard('a', 'a'), open],
    ['majority', 4, heard('a', 'b', 'b'), open],
    ['majority', 4, heard('a', 'b', 'c'), none],
    ['majority', 4, heard('a', 'a', 'b', 'b'), none],
    ['majority', 3, heard('Yes', ' yes '), carried('Yes')],
    ['majority', 3, heard({ a: 1, b: 2 }, { b: 2, a: 1 }), carried({ a: 1, b: 2 })],
    ['majority', 3, heard({ a: 1 }, { a: '1' }), open],
    ['all', 3, heard('a', 'a'), open],
    ['all', 3, heard('a', 'a', null), carried('a')],
    ['all', 2, heard('a', null), none],
  ])('%s of %i, %j: %j', (rule, seats, hearings, decided) => {
    expect(decide(rule, seats, hearings)).toEqual(decided)
  })
})
