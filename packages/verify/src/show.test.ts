import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { verifyBundle } from './bundle/bundle.ts'
import { shownVerified } from './show.ts'

it.each([
  ['JSON on many lines', '{\n "a": 1,\n "b": 2\n}\n', /^line 1: it is not canonical JSON: /],
  ['JSON on one line', '{"a":1}\n', /^line 1: /],
  ['another text', 'to whom it may concern\n\nyours\n', /^line 1: it is not canonical JSON: /],
  ['an empty file', '', /^line 0: the bundle is cut off: its last line is missing$/],
])('%s is said once to be no bundle', async (_what, text, why) => {
  const said = shownVerified(await verifyBundle(Readable.from([Buffer.from(text)]), {}))
  const [, reason = ''] = /^broken: this is not an audit bundle: (.*)$/.exec(said) ?? []
  expect(reason).toMatch(why)
})
