import { expect, it } from 'vitest'
import { masked } from './secret-mask.ts'

const KEY = 'sk-live-4Wq9vXz7Tn2Lb8Rk'
const SECRETS = { key: KEY, pin: '4711' }

it.each([
  ['a whole one', `the key is ${KEY}!`, 'the key is [secret key]!'],
  ['one that a bound cut at its end', `Bearer ${KEY.slice(0, 15)}`, 'Bearer [secret key]'],
  ['one that a pipe cut at its beginning', `${KEY.slice(9)} refused`, '[secret key] refused'],
  [
    'a cut one within a sentence of ours',
    `it said: ${KEY.slice(0, 11)}…, 40 more`,
    'it said: [secret key]…, 40 more',
  ],
  ['two cut ones', `${KEY.slice(-9)} ${KEY.slice(0, 9)}`, '[secret key] [secret key]'],
  ['a short one', 'pin 4711', 'pin [secret pin]'],
  [
    'what shares a few characters with one',
    'sk-live is a prefix, 47 is a number',
    'sk-live is a prefix, 47 is a number',
  ],
  ['its middle alone', KEY.slice(6, 16), KEY.slice(6, 16)],
])('%s is masked as far as it tells a secret', (_what, text, shown) => {
  expect(masked(text, SECRETS)).toBe(shown)
  expect(masked({ [text]: [text] }, SECRETS)).toEqual({ [shown]: [shown] })
})

it('leaves no run of a third of a secret, wherever it was cut', () => {
  for (let at = 8; at <= KEY.length; at++)
    for (const text of [KEY.slice(0, at), KEY.slice(-at), `x${KEY.slice(0, at)}${KEY.slice(0, at)}y`])
      expect(masked(text, SECRETS)).not.toMatch(/live-4|Lb8R/)
})
