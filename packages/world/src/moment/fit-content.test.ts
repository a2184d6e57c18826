import { canonicalJson, type JsonObject, LIMITS } from '@treeos/core'
import { expect, it } from 'vitest'
import { fitContent } from './steps.ts'

const long = (length: number) => 'ß'.repeat(length)
const refused = (address: string, length = 2000) => ({
  address,
  refused: { code: 'FORBIDDEN', message: long(length) },
})
const step = { event: 'look', actor: '@ann', prior: 'ann/1/1', step: 3, of: 16 }

it.each<[string, JsonObject]>([
  ['of one look that shows much', { ...step, address: '/', seen: { all: long(60_000) } }],
  ['of looks that show much', { ...step, looks: [1, 2].map(() => ({ address: '/', seen: long(60_000) })) }],
  [
    'of looks that are all refused',
    { ...step, looks: Array.from({ length: 8 }, () => refused(long(9_000))) },
  ],
  ['of a refused look at a text that is no address', { ...step, ...refused(long(60_000)) }],
  [
    'of earlier looks that were refused',
    { ...step, earlier: Array.from({ length: 8 }, () => refused(long(9_000))) },
  ],
  ['with a long beginning', { ...step, begun: long(60_000), result: long(60_000) }],
])('fits a content %s', (_what, content) => {
  const fitted = fitContent(content)
  expect(Buffer.byteLength(canonicalJson(fitted))).toBeLessThanOrEqual(LIMITS.contentBytesMax)
  expect(fitted).toMatchObject(step)
})
