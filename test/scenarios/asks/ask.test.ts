import { act, approvals, inbox, inhabit, summon } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { readRows } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, momentOf, play, setRole, until, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replaying.ts'
import till, { sent } from '../../support/till.ts'
import { useWorld } from '../../support/use-world.ts'
import type { World } from '../../support/world.ts'

const world = useWorld({ extensions: [stage, till] })
let ada: World
const ANY = [{ pattern: '*' }]
const SPENDER = {
  name: 'spender',
  canSee: ANY,
  canDo: ANY,
  canSummon: ANY,
  canBe: ANY,
  prompt: 'You pay.',
}
beforeAll(async () => {
  ada = { ...world, person: 'ada' }
  await world.birth({ name: 'ada', cognition: 'human', role: 'stage:free' })
  await world.birthPuppet('clerk')
  await createSpace(world, '/shop')
  await rule({ requires: ['anyone'], ask: { who: ['operator'], within: 600 } })
})

const rule = (value: Json) =>
  doAs(world, 'set-space', '/shop', { field: 'permissions.do', value: { 'till:pay': value }, merge: false })
const paying = (euros: number) =>
  ({ verb: 'do', action: 'till:pay', target: '/shop', args: { euros } }) as const
const pay = (euros: number) => play(world, 'clerk', paying(euros))
/** The last call that waits for the operator. */
const last = async () => (await approvals(world, 'operator')).at(-1)!
const answer = (action: 'approve' | 'deny', args: JsonObject, as = 'operator') =>
  doAs(as === 'operator' ? world : { ...world, person: as }, action, `@${as}`, args, as)
const paid = async () => {
  const [row] = await readRows(world.db, world.reality.id, ['space:/shop'])
  return (row!.state as { qualities: { till?: { paid: JsonObject } } }).qualities.till?.paid ?? null
}
const stateOf = async (id: string) => {
  const [row] = await readRows(world.db, world.reality.id, [`approval:${id}`])
  return (row!.state as { state: string }).state
}
const carriedOut = (id: string) => momentOf(world, `approved/${id}`)

describe('a call that a rule asks about', () => {
  it('waits, and is done once the person whom the rule asks says yes', async () => {
    const asked = await pay(40)
    expect(asked).toMatchObject({ outcome: 'waiting', act: null, primary: 'stage:free' })
    expect(await paid()).toBeNull()
    const waits = await last()
    expect(waits).toEqual({
      id: 'clerk/1/1',
      from: '@clerk',
      call: paying(40),
      rule: '/shop permissions.do.till:pay',
      expiresAt: expect.stringMatching(/Z$/),
      roles: ['stage:free'],
      for: '@operator',
    })
    expect(await inbox(world, 'operator')).toMatchObject([{ content: { event: 'asked', call: paying(40) } }])
    const { result, facts } = await answer('approve', { id: waits.id })
    expect(result).toEqual({ approval: waits.id, state: 'given', waitsFor: [] })
    expect(facts.map(({ kind }) => kind)).toEqual(['approval:given'])
    const done = await carriedOut(waits.id)
    expect(done).toMatchObject({ outcome: 'act', did: { operation: 'till:pay' } })
    expect(await paid()).toEqual({ euros: 40 })
    expect(await stateOf(waits.id)).toBe('used')
    expect(await approvals(world, 'operator')).toEqual([])
  })

  it('is not done when the person says no, and the being hears why', async () => {
    await pay(41)
    const { id } = await last()
    expect(await answer('deny', { id, why: 'too much' })).toMatchObject({ result: { state: 'denied' } })
    expect(await momentOf(world, `denied/${id}`)).toMatchObject({ outcome: 'see' })
    const [told] = (await wakesOf(world, 'clerk')).filter((wake) => wake.id === `denied/${id}`)
    expect(told?.content).toMatchObject({ why: 'too much', actor: '@operator', wanted: paying(41) })
    await expect(answer('approve', { id })).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
    expect(await paid()).toEqual({ euros: 40 })
  })

  it('is refused at once where it could not be done, and nobody is asked', async () => {
    expect(await play(world, 'clerk', { ...paying(1), args: { euros: 0 } })).toMatchObject({
      outcome: 'failure',
      reason: 'INVALID_INPUT',
    })
    expect(await approvals(world, 'operator')).toEqual([])
  })

  it('becomes another call of both persons with other arguments', async () => {
    await pay(300)
    const { id } = await last()
    await answer('approve', { id, args: { euros: 20 } })
    expect(await carriedOut(id)).toMatchObject({ outcome: 'act' })
    expect(await paid()).toEqual({ euros: 20 })
  })

  it('expires, and whoever asked is told', async () => {
    await rule({ requires: ['anyone'], ask: { who: ['operator'], within: 1 } })
    await pay(42)
    const { id } = await last()
    const told = await momentOf(world, `expired/${id}`)
    expect(told).toMatchObject({ outcome: 'see' })
    expect(await stateOf(id)).toBe('expired')
    await expect(answer('approve', { id })).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
    expect(await approvals(world, 'operator')).toEqual([])
  })

  it('waits for as many as the rule says', async () => {
    await rule({ requires: ['anyone'], ask: { who: ['operator', '@ada'], count: 2 } })
    await pay(43)
    const { id } = await last()
    expect(await answer('approve', { id })).toMatchObject({ result: { state: 'open', waitsFor: ['@ada'] } })
    await expect(answer('approve', { id })).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
    await answer('approve', { id }, 'ada')
    expect(await carriedOut(id)).toMatchObject({ outcome: 'act' })
    expect(await paid()).toEqual({ euros: 43 })
  })

  it('of a person waits as well, and a person whom the rule asks says yes by doing it', async () => {
    await rule({ requires: ['anyone'], ask: { who: ['operator'] } })
    const asked = await act(ada, 'ada', paying(44))
    expect(asked).toMatchObject({ act: null, result: null, waiting: { waitsFor: ['@operator'] } })
    const waits = await last()
    await answer('approve', { id: waits.id })
    expect(await carriedOut(waits.id)).toMatchObject({ outcome: 'act' })
    expect(await act(world, 'operator', paying(45))).toMatchObject({ result: { paid: 45 } })
  })
})

describe('a yes', () => {
  const CHANGES: Readonly<Record<string, () => Promise<unknown>>> = {
    'its rule changed': () => rule({ requires: ['anyone'], ask: { who: ['operator'], within: 700 } }),
    'a role that it wears changed': () => setRole(world, { ...SPENDER, prompt: 'You pay gladly.' }),
  }
  beforeAll(async () => {
    await rule({ requires: ['anyone'], ask: { who: ['operator'], within: 600 } })
    await setRole(world, SPENDER)
    await world.birthPuppet('payer', { role: 'spender' })
  })

  it.each(Object.keys(CHANGES))('does not hold when %s meanwhile', async (what) => {
    const before = await paid()
    expect(await play(world, 'payer', paying(99))).toMatchObject({ outcome: 'waiting' })
    const { id } = await last()
    await CHANGES[what]?.()
    await answer('approve', { id })
    expect(await carriedOut(id)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN', act: null })
    expect(await stateOf(id)).toBe('voided')
    expect(await paid()).toEqual(before)
  })

  it('to a call of a driver does not hold when the lease has ended', async () => {
    const hands = await inhabit(world, { being: 'clerk', as: 'operator' })
    await rule({ requires: ['anyone'], ask: { who: ['@ada'] } })
    const asked = await act(world, 'clerk', paying(98))
    const { approval } = asked.waiting as { approval: string }
    await hands.release()
    await answer('approve', { id: approval }, 'ada')
    expect(await carriedOut(approval)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(await stateOf(approval)).toBe('voided')
  })

  it('to a call of a driver holds while the lease does', async () => {
    const hands = await inhabit(world, { being: 'clerk', as: 'operator' })
    const asked = await act(world, 'clerk', paying(97))
    const { approval } = asked.waiting as { approval: string }
    await answer('approve', { id: approval }, 'ada')
    expect(await carriedOut(approval)).toMatchObject({ outcome: 'act', driver: '@operator' })
    expect(await paid()).toEqual({ euros: 97 })
    await hands.release()
  })

  it('is said by a person that the rule asks, and by nobody else', async () => {
    await pay(96)
    const [waits] = await approvals(ada, 'ada')
    const { id } = waits!
    for (const action of ['approve', 'deny'] as const)
      await expect(answer(action, { id })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const approving = { verb: 'do', action: 'approve', target: '@clerk', args: { id } } as const
    expect(await play(world, 'clerk', approving)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    await answer('deny', { id }, 'ada')
  })

  it('is waited for by whoever waits for the end, and named when it does not come', async () => {
    const asking = { target: 'clerk', content: { call: paying(95) }, as: 'operator' }
    await expect(summon(world, { ...asking, waitSeconds: 1 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('@ada'),
      detail: { waiting: { waitsFor: ['@ada'] } },
    })
    const [first] = await approvals(ada, 'ada')
    await answer('deny', { id: first!.id }, 'ada')
    const waited = summon(world, { ...asking, waitSeconds: 60 })
    const waits = await until(async () => (await approvals(ada, 'ada'))[0])
    await answer('approve', { id: waits.id }, 'ada')
    expect(await waited).toMatchObject({ moment: { outcome: 'act', did: { operation: 'till:pay' } } })
  })
})

describe('an operation that asks by itself, and has an effect', () => {
  const sending = (euros: number) =>
    ({ verb: 'do', action: 'till:send', target: '/shop', args: { euros } }) as const
  it('does nothing outside before the yes, and once after it', async () => {
    expect(await play(world, 'clerk', sending(7))).toMatchObject({ outcome: 'waiting' })
    expect(sent).toEqual([])
    const { id, rule } = await last()
    expect(rule).toBe('do till:send: ask')
    await answer('approve', { id })
    expect(await carriedOut(id)).toMatchObject({ outcome: 'act' })
    expect(sent).toEqual([7])
  })

  it('is not asked about, and does nothing outside, where its own condition says no', async () => {
    const refused = await play(world, 'clerk', sending(7))
    expect(refused).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(refused.message).toContain('it was sent before')
    expect(sent).toEqual([7])
  })
})

it('replays and verifies', async () => {
  await expectReplays(world)
  await expectUnbroken(world)
})
