import { TreeosError } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { newSalt } from '../resolve/commitment.ts'
import { Vault, vaultOf } from './vault.ts'

const kept = (content: string) => ({ overlay: { content }, salt: newSalt() })
const by = (moment: string, after: string | null = null) => ({ moment, after })

describe("a call's overlay in a vault", () => {
  it('is for the first moment that takes it, and for its repeats', () => {
    const vault = new Vault()
    const mine = kept('be brief')
    const handle = vault.put('call', mine)
    for (const _ of [1, 2, 3]) expect(vault.take(handle, by('a/1/1'))).toEqual({ status: 'given', ...mine })
    expect(vault.take(handle, by('b/1/1'))).toEqual({ status: 'used' })
  })

  it('goes on with a look of its moment, and then not back', () => {
    const vault = new Vault()
    const handle = vault.put('call', kept('x'))
    vault.take(handle, by('a/1/1'))
    expect(vault.take(handle, by('a/1/3', 'a/1/2')).status).toBe('used')
    expect(vault.take(handle, by('a/1/2', 'a/1/1')).status).toBe('given')
    expect(vault.take(handle, by('a/1/1')).status).toBe('used')
  })

  it('is forgotten when its moment is over, and not because another one says so', () => {
    const vault = new Vault()
    const handle = vault.put('call', kept('x'))
    vault.take(handle, by('a/1/1'))
    for (const other of ['b/1/1', null]) vault.drop(handle, other)
    expect(vault.take(handle, by('a/1/1')).status).toBe('given')
    vault.drop(handle, 'a/1/1')
    expect(vault.take(handle, by('a/1/1')).status).toBe('lost')
    expect(vault.size).toBe(0)
  })

  it('can be taken back while no moment has it', () => {
    const vault = new Vault()
    const handle = vault.put('call', kept('x'))
    vault.drop(handle, null)
    expect(vault.take(handle, by('a/1/1'))).toEqual({ status: 'lost' })
  })

  it.each([
    { after: 9_999, status: 'given' },
    { after: 10_000, status: 'lost' },
  ])('after $after ms of 10 s it is $status', ({ after, status }) => {
    let now = 0
    const vault = new Vault({ callSeconds: 10 }, () => now)
    const handle = vault.put('call', kept('x'))
    now = after
    expect(vault.take(handle, by('a/1/1')).status).toBe(status)
  })
})

describe("a thread's overlay in a vault", () => {
  it('F107 is for every moment, as long as one comes by in time', () => {
    let now = 0
    const vault = new Vault({ threadSeconds: 10 }, () => now)
    const handle = vault.put('thread', kept('x'))
    for (const moment of ['a/1/1', 'b/1/1', 'a/1/2']) {
      now += 9_000
      expect(vault.take(handle, by(moment)).status).toBe('given')
    }
    now += 10_000
    expect(vault.take(handle, by('a/1/3')).status).toBe('lost')
  })
})

describe('a vault', () => {
  it('gives handles that name it, and nothing of the text', () => {
    const vault = new Vault()
    const [one, other] = ['same', 'same'].map((text) => vault.put('call', kept(text)))
    expect(one).not.toBe(other)
    expect(vaultOf(one!)).toBe(vault.id)
    expect(one).toMatch(/^[\w-]{16}[.][\w-]{43}$/)
  })

  it.each([
    { limits: { entriesMax: 2 }, taken: ['a', 'b'] },
    { limits: { bytesMax: 10 }, taken: ['12345', '67890'] },
  ])('is full at $limits, and has room again when one is over', ({ limits, taken }) => {
    const vault = new Vault(limits)
    const [first = ''] = taken.map((text) => vault.put('call', kept(text)))
    const put = () => vault.put('call', kept('the secret'.slice(0, 5)))
    expect(put).toThrow(TreeosError)
    expect(put).toThrow(/the vault is full: it holds 2 overlays/)
    expect(put).not.toThrow(/the s/)
    vault.drop(first, null)
    expect(put).not.toThrow()
  })

  it.each([{ content: '' }, { content: 'x'.repeat(8193) }, { content: 'x', tier: 'call' }])(
    'refuses what is no overlay',
    (overlay) => {
      expect(() => new Vault().put('call', { overlay, salt: newSalt() })).toThrow(TreeosError)
    },
  )
})
