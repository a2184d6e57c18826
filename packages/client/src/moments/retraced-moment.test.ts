import { beingReel, type Fact, SPEECH_KIND } from '@treeos/core'
import type { StoredOutcome } from '@treeos/store'
import { expect, it } from 'vitest'
import { openPartOf } from './retraced-moment.ts'

const fact = (kind: string, reel: string, actor: string, payload: object | null) =>
  ({ header: { kind, reel, actor, seq: 1, at: 0 }, payload }) as unknown as Fact
const openTo =
  (...names: string[]) =>
  async (being: string) =>
    names.includes(being)

const said = fact(SPEECH_KIND, beingReel('ann'), 'ann', { to: 'bob', content: 'come in' })
const moved = fact('being:moved', beingReel('bob'), 'bob', { to: '/court' })
const outcome = {
  being: 'ann',
  n: 1,
  kind: 'act',
  reason: null,
  record: { stackDigest: 'd' },
} as StoredOutcome

it('a look back shows words, moments and places of those beings alone whose past is open', async () => {
  expect(await openPartOf(openTo('ann'), outcome, [said, moved])).toEqual({
    moment: { being: 'ann', n: 1, outcome: 'act', reason: null, stack: 'd' },
    placings: [],
    said: [{ being: 'ann', to: '@bob', words: 'come in' }],
  })
  expect(await openPartOf(openTo('bob'), outcome, [said, moved])).toMatchObject({
    moment: null,
    placings: [{ key: 'being:bob', place: '/court' }],
    said: [],
  })
  expect(await openPartOf(openTo(), outcome, [said, moved])).toEqual({ moment: null, placings: [], said: [] })
})

it('words that were erased are not shown, and long ones are cut', async () => {
  const erased = fact(SPEECH_KIND, beingReel('ann'), 'ann', null)
  const long = fact(SPEECH_KIND, beingReel('ann'), 'ann', { to: 'bob', content: { text: 'x'.repeat(500) } })
  const { said: words } = await openPartOf(openTo('ann'), undefined, [erased, long])
  expect(words).toEqual([{ being: 'ann', to: '@bob', words: 'x'.repeat(200) }])
})
