import { isOverlayHandle, TreeosError } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { newSalt } from '../resolve/commitment.ts'
import { markOf, vaultOf } from '../shape/handle.ts'
import { type Purpose, Vault } from './vault.ts'

const kept = (content: string) => ({ overlay: { content }, salt: newSalt() })
const CALL = { use: 'call', of: 'ann' } as const
const THREAD = { use: 'thread', of: 't-1' } as const
const by = (moment: string, after: string | null = null, purpose: Purpose = CALL) => ({
  moment,
  after,
  ...purpose,
})

describe("a call's overlay in a vault", () => {
  it('is for the first moment that takes it, and for its repeats', () => {
    const vault = new Vault()
    const mine = kept('be brief')
    const handle = vault.put(CALL, mine)
    for (const _ of [1, 2, 3]) expect(vault.take(handle, by('a/1/1'))).toEqual({ status: 'given', ...mine })
    expect(vault.take(handle, by('b/1/1'))).toEqual({ status: 'used' })
  })

  it('has a handle that ends in the mark it was given, and is as secret as any other', () => {
    const vault = new Vault()
    const mark = 'ab'.repeat(16)
    const [one, other, plain] = [mark, mark, undefined].map((given) => vault.put(CALL, kept('x'), given))
    expect([one, other].map((handle) => markOf(handle ?? ''))).toEqual([mark, mark])
    expect(new Set([one, other, plain]).size).toBe(3)
    expect(markOf(plain ?? '')).not.toBe(mark)
    for (const handle of [one, plain]) expect(isOverlayHandle(handle)).toBe(true)
    for (const odd of ['', 'ab', 'x'.repeat(32), 7 as never])
      expect(() => vault.put(CALL, kept('x'), odd)).toThrow('16 bytes in hex')
  })

  it('is for the call of the being that left it: another one gets nothing, and does not use it up', () => {
    const vault = new Vault()
    const handle = vault.put(CALL, kept('x'))
    for (const other of [{ use: 'call', of: 'eve' }, { use: 'thread', of: 'ann' }, THREAD] as const)
      expect(vault.take(handle, by('eve/1/1', null, other))).toEqual({ status: 'foreign' })
    expect(vault.take(handle, by('a/1/1')).status).toBe('given')
    for (const nobody of ['', undefined as never])
      expect(() => vault.put({ use: 'call', of: nobody }, kept('x'))).toThrow('which call it is for')
  })

  it('goes on with a look of its moment, and then not back', () => {
    const vault = new Vault()
    const handle = vault.put(CALL, kept('x'))
    vault.take(handle, by('a/1/1'))
    expect(vault.take(handle, by('a/1/3', 'a/1/2')).status).toBe('used')
    expect(vault.take(handle, by('a/1/2', 'a/1/1')).status).toBe('given')
    expect(vault.take(handle, by('a/1/1')).status).toBe('used')
  })

  it('is forgotten when its moment is over, and not because another one says so', () => {
    const vault = new Vault()
    const handle = vault.put(CALL, kept('x'))
    vault.take(handle, by('a/1/1'))
    for (const other of ['b/1/1', null]) vault.drop(handle, other)
    expect(vault.take(handle, by('a/1/1')).status).toBe('given')
    vault.drop(handle, 'a/1/1')
    expect(vault.take(handle, by('a/1/1')).status).toBe('lost')
    expect(vault.size).toBe(0)
  })

  it('can be taken back while no moment has it', () => {
    const vault = new Vault()
    const handle = vault.put(CALL, kept('x'))
    vault.drop(handle, null)
    expect(vault.take(handle, by('a/1/1'))).toEqual({ status: 'lost' })
  })

  it.each([
    { after: 9_999, status: 'given' },
    { after: 10_000, status: 'lost' },
  ])('after $after ms of 10 s it is $status', ({ after, status }) => {
    let now = 0
    const vault = new Vault({ callSeconds: 10 }, () => now)
    const handle = vault.put(CALL, kept('x'))
    now = after
    expect(vault.take(handle, by('a/1/1')).status).toBe(status)
  })
})

describe("a thread's overlay in a vault", () => {
  it('is for every moment, as long as one comes by in time', () => {
    let now = 0
    const vault = new Vault({ threadSeconds: 10 }, () => now)
    const handle = vault.put(THREAD, kept('x'))
    for (const moment of ['a/1/1', 'b/1/1', 'a/1/2']) {
      now += 9_000
      expect(vault.take(handle, by(moment, null, THREAD)).status).toBe('given')
    }
    now += 10_000
    expect(vault.take(handle, by('a/1/3', null, THREAD)).status).toBe('lost')
  })
})

it("a thread's overlay is for that thread alone, and no call takes it", () => {
  const vault = new Vault()
  const handle = vault.put(THREAD, kept('x'))
  for (const other of [{ use: 'thread', of: 't-2' }, { use: 'call', of: 't-1' }, CALL] as const)
    expect(vault.take(handle, by('eve/1/1', null, other))).toEqual({ status: 'foreign' })
  expect(vault.take(handle, by('a/1/1', null, THREAD)).status).toBe('given')
})

describe('a vault', () => {
  it('gives handles that name it, and nothing of the text', () => {
    const vault = new Vault()
    const [one, other] = ['same', 'same'].map((text) => vault.put(CALL, kept(text)))
    expect(one).not.toBe(other)
    expect(vaultOf(one!)).toBe(vault.id)
    expect(one).toMatch(/^[\w-]{16}[.][\w-]{43}$/)
  })

  it.each([
    { limits: { entriesMax: 2 }, taken: ['a', 'b'] },
    { limits: { bytesMax: 10 }, taken: ['12345', '67890'] },
  ])('is full at $limits, and has room again when one is over', ({ limits, taken }) => {
    const vault = new Vault(limits)
    const [first = ''] = taken.map((text) => vault.put(CALL, kept(text)))
    const put = () => vault.put(CALL, kept('the secret'.slice(0, 5)))
    expect(put).toThrow(TreeosError)
    expect(put).toThrow(/the vault is full: it holds 2 overlays/)
    expect(put).not.toThrow(/the s/)
    vault.drop(first, null)
    expect(put).not.toThrow()
  })

  it.each([{ content: '' }, { content: 'x'.repeat(8193) }, { content: 'x', tier: 'call' }])(
    'refuses a malformed overlay',
    (overlay) => {
      expect(() => new Vault().put(CALL, { overlay, salt: newSalt() })).toThrow(TreeosError)
    },
  )
})

describe('what a vault hands on to another one', () => {
  it('is served there under the same handles, uses and times, and no more than once', () => {
    let now = 0
    const clock = () => now
    const [stops, heir] = [new Vault({ callSeconds: 10 }, clock), new Vault({ callSeconds: 10 }, clock)]
    const mine = kept('x')
    const [free, bound] = [stops.put(CALL, mine), stops.put(CALL, kept('y'))]
    const ofThread = stops.put(THREAD, kept('z'))
    stops.take(bound, by('a/1/1'))
    now = 4000
    const handed = JSON.parse(JSON.stringify(stops.handOn()))
    heir.takeOver(handed)
    heir.takeOver(handed) // told twice
    expect(heir.size).toBe(3)
    expect(heir.names).toEqual([heir.id, stops.id])
    expect(heir.serves(stops.id)).toBe(true)
    expect(heir.take(bound, by('b/1/1'))).toEqual({ status: 'used' })
    expect(heir.take(bound, by('a/1/1')).status).toBe('given')
    expect(heir.take(free, by('c/1/1', null, { use: 'call', of: 'eve' })).status).toBe('foreign')
    expect(heir.take(free, by('c/1/1'))).toEqual({ status: 'given', ...mine })
    now = 10_000
    expect(heir.take(free, by('c/1/1'))).toEqual({ status: 'lost' })
    expect(heir.take(ofThread, by('d/1/1', null, THREAD)).status).toBe('given')
    expect(heir.names).toEqual([heir.id, stops.id])
  })

  it('is handed on once more, under the names of all before', () => {
    const [first, second, third] = [new Vault(), new Vault(), new Vault()]
    const [old, young] = [first.put(CALL, kept('x')), second.put(CALL, kept('y'))]
    second.takeOver(first.handOn())
    third.takeOver(second.handOn())
    expect([...third.names].sort()).toEqual([first.id, second.id, third.id].sort())
    for (const handle of [old, young]) expect(third.take(handle, by('a/1/1')).status).toBe('given')
  })

  it('is under the name of the other one until the last of it is gone', () => {
    const [stops, heir] = [new Vault(), new Vault()]
    const handle = stops.put(CALL, kept('x'))
    heir.takeOver(stops.handOn())
    heir.drop(handle, null)
    expect(heir.names).toEqual([heir.id])
    expect(heir.size).toBe(0)
  })

  it('is taken as a whole or not at all', () => {
    const [stops, heir] = [new Vault(), new Vault({ entriesMax: 2 })]
    for (const text of ['a', 'b']) stops.put(CALL, kept(text))
    const own = heir.put(CALL, kept('own'))
    expect(() => heir.takeOver(stops.handOn())).toThrow('the vault is full')
    expect([heir.size, heir.names]).toEqual([1, [heir.id]])
    heir.drop(own, null)
    heir.takeOver(stops.handOn()) // a control
    expect(heir.size).toBe(2)
  })
})
