import { expect, it } from 'vitest'
import { didIn, type MomentView, spokenIn, wokenIn } from './moment-words.ts'

const moment = (rest: object) => ({ outcome: 'act', did: null, ...rest }) as unknown as MomentView['moment']
const call = (call: object) => ({ kind: 'call', call }) as unknown as MomentView['decision']

it.each([
  [{ trigger: 'message', from: '@ada', thread: 'x' }, '@ada said'],
  [{ trigger: 'answer', from: '@ada', thread: 'x' }, '@ada answered'],
  [{ trigger: 'change', from: '@ada', what: '/x', thread: 'x' }, '@ada woke it by change'],
  [{ trigger: 'schedule', from: null, what: 'daily', thread: 'x' }, 'It was woken by schedule: daily'],
  [null, 'Nothing woke it: a later life of it closed the moment.'],
])('%j: %s', (woke, words) => {
  expect(wokenIn({ moment: moment({ woke }) })).toBe(words)
})

it('what it did is a sentence, whatever came of it', () => {
  const said = call({ verb: 'summon', target: '@ada', content: { text: 'Yes.' } })
  const paid = call({ verb: 'do', operation: 'till:pay', target: '/shop', args: { euros: 40 } })
  const on = { verb: 'do', operation: 'till:pay', target: '/shop' }
  expect(didIn({ moment: moment({ did: { verb: 'summon', target: '@ada' } }), decision: said })).toBe(
    'It said to @ada:',
  )
  expect(spokenIn({ decision: said })).toBe('Yes.')
  expect(didIn({ moment: moment({ did: on }), decision: paid })).toBe('It did till:pay (euros 40) on /shop.')
  expect(didIn({ moment: moment({ did: on, outcome: 'failure' }), decision: paid })).toBe(
    'It wanted to do till:pay (euros 40) on /shop, and failed.',
  )
  expect(didIn({ moment: moment({ did: on, outcome: 'waiting' }), decision: paid })).toBe(
    'It wants to do till:pay (euros 40) on /shop, and waits for a yes.',
  )
  expect(didIn({ moment: moment({ outcome: 'see' }), decision: null })).toBe('It did nothing.')
  expect(didIn({ moment: moment({ outcome: 'skipped', reason: 'cut' }), decision: null })).toBe(
    'It was skipped: cut.',
  )
  expect(spokenIn({ decision: paid })).toBeNull()
})
