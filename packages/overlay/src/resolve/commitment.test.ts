import { describe, expect, it } from 'vitest'
import { ENTRY } from '../shape/overlay.ts'
import { checkCommitment, commitTo, newSalt, recordOf, saltFrom } from './commitment.ts'
import { resolveOverlays } from './resolve.ts'

describe('a commitment', () => {
  it('holds for its value and its salt alone', () => {
    const salt = newSalt()
    const commitment = commitTo(salt, 'be brief')
    expect(checkCommitment(commitment, salt, 'be brief')).toBe(true)
    expect(checkCommitment(commitment, salt, 'be brief ')).toBe(false)
    expect(checkCommitment(commitment, newSalt(), 'be brief')).toBe(false)
  })

  it.each(['', 'zz', `${'a'.repeat(63)}g`, 'A'.repeat(64)])('is of no value under the salt %j', (salt) => {
    expect(checkCommitment('a'.repeat(64), salt, 'x')).toBe(false)
    expect(() => commitTo(salt, 'x')).toThrow(RangeError)
  })

  it('differs each time, so that equal overlays cannot be recognized', () => {
    expect(commitTo(newSalt(), 'same')).not.toBe(commitTo(newSalt(), 'same'))
  })

  it('a salt from a key is the same again for the same call, and another one for another call or key', () => {
    const key = Buffer.alloc(32, 1)
    expect(saltFrom(key, 'solomon/1/7')).toBe(saltFrom(key, 'solomon/1/7'))
    expect(saltFrom(key, 'solomon/1/8')).not.toBe(saltFrom(key, 'solomon/1/7'))
    expect(saltFrom(Buffer.alloc(32, 2), 'solomon/1/7')).not.toBe(saltFrom(key, 'solomon/1/7'))
  })

  it('is, with tiers and mode, all that the record holds', () => {
    const resolved = resolveOverlays({ call: { content: 'a secret voice' } }, { signature: ENTRY })
    const record = recordOf(resolved!, newSalt())
    expect(Object.keys(record).sort()).toEqual(['commitment', 'mode', 'tiers'])
    expect(JSON.stringify(record)).not.toContain('secret')
  })
})
