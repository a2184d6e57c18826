import { hash } from 'node:crypto'
import { canonicalJson, type HeadRef } from '@treeos/core'
import { expect, it } from 'vitest'
import { saltedHead } from './heads-digest.ts'

const HASH = 'ab'.repeat(32)

it.each<HeadRef>([
  ['being:ann', 7, HASH],
  ['space:/"ä"\u2028', 0, ''],
])('the salted hash of a head is made from its canonical JSON', (...head) => {
  const own = hash('sha256', `treeos.head-salt.v1\0${HASH}${canonicalJson(head)}`, 'hex')
  const salted = hash('sha256', `treeos.head.v1\0${own}${canonicalJson(head)}`, 'hex')
  expect(saltedHead(HASH, head)).toEqual({ salt: own, hash: salted })
})
