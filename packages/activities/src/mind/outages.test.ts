import { expect, it } from 'vitest'
import { ModelTransientError } from '../model/model.ts'
import { connectionOf, isOutage, Outages } from './outages.ts'

const first = { connection: 'first' }
const models = [first, { connection: 'second' }, {}]
const namesOf = (outages: Outages) => outages.inOrder(models).map(connectionOf)

it('a model is down after two losses in a row, or one refusal of every call, and up at its next answer', () => {
  const outages = new Outages(() => 0)
  expect(outages.answered('first')).toBe(true) // an earlier process may have found it down
  expect(outages.lost('first', false)).toBe(false)
  expect(outages.answered('first')).toBe(false)
  expect([outages.lost('first', false), outages.lost('first', false), outages.lost('first', false)]).toEqual([
    false,
    true,
    false,
  ])
  expect(outages.answered('first')).toBe(true)
  expect([outages.lost('second', true), outages.lost('second', true)]).toEqual([true, false])
})

it('a model that is down is asked last, for half a minute', () => {
  let now = 0
  const outages = new Outages(() => now)
  expect(namesOf(outages)).toEqual(['first', 'second', 'default'])
  outages.lost('first', true)
  expect(namesOf(outages)).toEqual(['second', 'default', 'first'])
  now = 29_999
  expect(namesOf(outages)[0]).toBe('second')
  now = 30_001
  expect(namesOf(outages)[0]).toBe('first')
})

it('a limit of its rate is no outage, and neither is an error of ours', () => {
  expect(isOutage(new ModelTransientError('LLM_FAILED', 'x', { status: 503 }))).toBe(true)
  expect(isOutage(new ModelTransientError('LLM_TIMEOUT', 'x'))).toBe(true)
  expect(isOutage(new ModelTransientError('LLM_FAILED', 'x', { status: 429 }))).toBe(false)
  expect(isOutage(new Error('x'))).toBe(false)
})
