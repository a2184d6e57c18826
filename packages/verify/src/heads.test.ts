import { expect, it } from 'vitest'
import type { Json } from './canonical.ts'
import { saltedHeadHash, saltOfHead } from './hash.ts'
import { shownHeads, wholeHeads } from './heads.ts'

const SALT = 'ab'.repeat(32)
const hash = (digit: string) => digit.repeat(64)
const BASIS = [
  ['being:ann', 3, hash('1')],
  ['being:bo', 7, hash('2')],
  ['space:/', 2, hash('3')],
]
const JUDGED = [
  ['being:bo', 8, hash('4')],
  ['space:/den', 1, hash('5')],
]

const hidden = (head: Json) => saltedHeadHash(saltOfHead(SALT, head), head)
const shown = (head: Json[]) => [...head, saltOfHead(SALT, head)]
/** Heads as a receipt has them. @param reels that are shown */
const told = (...reels: string[]) => {
  const member = (head: Json[]): Json => (reels.includes(String(head[0])) ? shown(head) : hidden(head))
  return { basis: BASIS.map(member), judged: JUDGED.map((head, i) => [i === 0 ? 1 : null, member(head)]) }
}

it('heads have the same digests whichever of them are shown', () => {
  const whole = wholeHeads({ basis: BASIS, judged: JUDGED, salt: SALT })!
  for (const reels of [
    [],
    ['space:/'],
    ['being:bo', 'space:/den'],
    [...BASIS, ...JUDGED].map(([reel]) => String(reel)),
  ])
    expect(shownHeads(told(...reels))?.digests).toEqual(whole.digests)
  expect(shownHeads(told('being:bo'))?.judgedFrom.get('being:bo')).toEqual(JUDGED[0])
  expect(whole.judgedFrom.get('being:bo')).toEqual(JUDGED[0])
})

it('a head of the basis is refused where another one stands for it that is hidden, or of another reel', () => {
  const { basis, judged } = told('being:bo')
  expect(shownHeads({ basis, judged })).not.toBeNull() // the control
  const [, second] = judged
  expect(shownHeads({ basis, judged: [[1, hidden(JUDGED[0]!)], second!] })).toBeNull()
  expect(shownHeads({ basis, judged: [[1, shown(JUDGED[1]!)], second!] })).toBeNull()
})

it.each<[string, Json, Json]>([
  ['a basis that is not a list', {}, null],
  ['a member without a salt', [BASIS[0]!], null],
  ['a member with another salt’s length', [[...BASIS[0]!, 'ab']], null],
  ['a reel that is shown twice', [shown(BASIS[0]!), shown(BASIS[0]!)], null],
  ['a place that the basis does not have', [hash('1')], [[1, hash('2')]]],
  ['a place that is not a number', [hash('1')], [['0', hash('2')]]],
  ['an entry without a place', [hash('1')], [[hash('2')]]],
])('%s is refused', (_, basis, judged) => {
  expect(shownHeads({ basis, judged })).toBeNull()
})

it('a bundle has one head a reel', () => {
  expect(wholeHeads({ basis: [...BASIS, BASIS[0]!], judged: null, salt: SALT })).toBeNull()
  expect(wholeHeads({ basis: BASIS, judged: null, salt: 'ab' })).toBeNull()
  expect(wholeHeads({ basis: BASIS, judged: null, salt: SALT })).not.toBeNull() // the control
})
