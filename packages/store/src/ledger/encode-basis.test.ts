import { canonicalJson, type HeadRef } from '@treeos/core'
import { expect, it } from 'vitest'
import { encodeBasis } from './encode-basis.ts'

const HASH = 'ab'.repeat(32)
const HEADS: HeadRef[] = [
  ['being:ann', 7, HASH],
  ['space:/"ä"\u2028', 0, HASH],
]

it.each([
  { heads: HEADS, noted: { aside: { did: [HEADS[0] as HeadRef] } } },
  { heads: HEADS, noted: null },
  { heads: [], noted: null },
])('a basis of $heads.length heads is written as canonical JSON', ({ heads, noted }) => {
  const seqs = Object.fromEntries(heads.map(([reel, seq]) => [reel, seq]))
  expect(encodeBasis({ salt: HASH, heads, noted })).toBe(
    canonicalJson({ heads: seqs, ...(noted === null ? {} : { noted }), salt: HASH }),
  )
})
