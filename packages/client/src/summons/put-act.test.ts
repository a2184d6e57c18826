import { type ActContent, LIMITS, PRIORITIES } from '@treeos/core'
import { expect, it } from 'vitest'
import { actWake } from './put-act.ts'

const saying = (content: string): ActContent => ({
  call: { verb: 'summon', target: '@echo', content, inReplyTo: null },
  answers: null,
})

it('an act lies in the inbox of who acts, under the id that its summon will have', () => {
  expect(actWake('ann', 'c', saying('hello'), false)).toMatchObject({
    id: 'act/c',
    being: 'ann',
    kind: 'act',
    root: 'c',
    priority: PRIORITIES.human,
    content: saying('hello'),
  })
})

it('an act is marked where its words came from outside, and carries no mark otherwise', () => {
  expect(actWake('ann', 'c', saying('hello'), true)).toHaveProperty('outside', true)
  expect(actWake('ann', 'c', saying('hello'), false).outside ?? false).toBe(false)
})

it('an act of more bytes than the bound is refused, and the error names both numbers', () => {
  const bytesOf = (text: string) => JSON.stringify(saying(text)).length
  const longest = 'x'.repeat(LIMITS.actBytesMax - bytesOf(''))
  expect(actWake('ann', 'c', saying(longest), false).id).toBe('act/c')
  expect(() => actWake('ann', 'c', saying(`${longest}x`), false)).toThrow(
    `the act is ${LIMITS.actBytesMax + 1} bytes, at most ${LIMITS.actBytesMax}`,
  )
})
