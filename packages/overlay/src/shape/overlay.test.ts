import { TreeosError } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { isStoredTier, OVERLAY_LIMITS, parseOverlay, TIERS } from './overlay.ts'

const refusalOf = (value: unknown): TreeosError => {
  try {
    parseOverlay(value)
  } catch (error) {
    if (error instanceof TreeosError) return error
    throw error
  }
  throw new Error('it was taken')
}

describe('an overlay is text and what it applies to', () => {
  it.each([{ content: 'x' }, { content: 'x', appliesTo: ['moment', 'skill:draft'] }])('takes %j', (value) => {
    expect(parseOverlay(value)).toEqual(value)
  })

  it.each([
    null,
    'text',
    {},
    { content: 7 },
    { content: ' \n' },
    { content: 'a\0b' },
    { content: '\ud800' },
    { content: 'x', tier: 'call' },
    { content: 'x', appliesTo: [] },
    { content: 'x', appliesTo: ['Not a name'] },
    { content: 'x', appliesTo: Array.from({ length: 17 }, (_, i) => `s${i}`) },
  ])('refuses %j', (value) => {
    expect(refusalOf(value).code).toBe('INVALID_INPUT')
  })

  it('counts its text in bytes, on both sides of the bound', () => {
    const most = OVERLAY_LIMITS.contentBytesMax
    expect(parseOverlay({ content: 'é'.repeat(most / 2) }).content).toHaveLength(most / 2)
    expect(refusalOf({ content: `${'é'.repeat(most / 2)}x` }).code).toBe('PAYLOAD_TOO_LARGE')
  })

  it('names no part of the text in a refusal', () => {
    const secret = 'sentinel-5141'
    for (const value of [{ content: `${secret}\0` }, { content: secret.repeat(1000) }, { [secret]: 1 }])
      expect(refusalOf(value).message).not.toContain(secret)
  })
})

describe('tiers that rest in a table', () => {
  it.each(TIERS.map((tier) => ({ tier, stored: tier !== 'call' && tier !== 'thread' })))(
    '$tier: $stored',
    ({ tier, stored }) => {
      expect(isStoredTier(tier)).toBe(stored)
    },
  )
})
