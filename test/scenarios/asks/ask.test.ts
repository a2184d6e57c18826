import { act, approvals, closeInbox, inbox, inhabit, summon } from '@treeos/client'
import { type Json, type JsonObject, LIMITS } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'
import { listFactsAfter, readRows } from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, live, momentOf, play, ring, setRole, until, wakesOf } from '../../support/life.ts'
import { drawn, IS_NIGHT } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import till, { keys, meanwhile, sent } from '../../support/till.ts'
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
  ({ verb: 'do', operation: 'till:pay', target: '/shop', args: { euros } }) as const
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
      on: '/shop',
      rule: '/shop permissions.do.till:pay',
      expiresAt: expect.stringMatching(/Z$/),
      roles: ['stage:free'],
      for: '@operator',
    })
    expect(await inbox(world, 'operator')).toMatchObject([{ content: { event: 'asked', call: paying(40) } }])
    const { result, facts } = await answer('approve', { id: waits.id })
    expect(result).toEqual({ approval: waits.id, id: waits.id, state: 'given', waitsFor: [] })
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

  it.each(
    drawn([
      ['of another type', { euros: 'x' }, 'euros is "x"'],
      ['out of bounds', { euros: 501 }, 'euros is 501'],
      ['that it does not have', { euros: 1, tip: 1 }, 'tip'],
      ['with one missing', {}, 'euros is missing'],
    ]),
  )('goes on waiting where a person says yes to arguments %s', async (_what, args, says) => {
    await pay(301)
    const { id } = await last()
    await expect(answer('approve', { id, args })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(new RegExp(`^till:pay: .*${says}.*; ${id} still waits$`)),
    })
    expect(await stateOf(id)).toBe('open')
    await answer('approve', { id, args: { euros: 21 } })
    expect(await carriedOut(id)).toMatchObject({ outcome: 'act' })
    expect(await paid()).toEqual({ euros: 21 })
    await expect(answer('approve', { id })).rejects.toThrow(`${id} is used already: the call was done`)
  })

  it.each(
    drawn<[string, string, JsonObject, string, string]>([
      [
        'of another type',
        'create-matter',
        { id: 7 },
        'INVALID_INPUT',
        'create-matter: id is 7; it takes kebab',
      ],
      [
        'that it does not have',
        'create-matter',
        { id: 'a', by: 1 },
        'INVALID_INPUT',
        'takes no argument "by"',
      ],
      ['with one missing', 'create-matter', {}, 'INVALID_INPUT', 'create-matter: id is missing'],
      ['that cannot be parsed', 'create-space', { path: 'a//b' }, 'ADDRESS_PARSE_ERROR', 'a//b'],
    ]),
  )(
    'of the substrate goes on waiting after a yes to arguments %s',
    async (what, operation, args, code, says) => {
      const name = what.replaceAll(' ', '-')
      const right: JsonObject = operation === 'create-matter' ? { id: name } : { path: `/shop/${name}` }
      const asks = { requires: ['anyone'], ask: { who: ['operator'], within: 600 } }
      await doAs(world, 'set-space', '/shop', { field: 'permissions.do', value: { [operation]: asks } })
      await play(world, 'clerk', { verb: 'do', operation, target: '/shop', args: right })
      const { id } = await last()
      await expect(answer('approve', { id, args })).rejects.toMatchObject({
        code,
        message: expect.stringMatching(new RegExp(`${says}.*; ${id} still waits$`)),
      })
      expect(await stateOf(id)).toBe('open')
      await answer('approve', { id, args: right })
      expect(await carriedOut(id)).toMatchObject({ outcome: 'act', did: { operation } })
    },
  )

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

  // The same of a call that a person changed.
  if (IS_NIGHT)
    it('expires after it was changed, too, and nobody is asked about it any more', async () => {
      await rule({ requires: ['anyone'], ask: { who: ['operator', '@ada'], count: 2, within: 2 } })
      await pay(46)
      const { id } = await last()
      await answer('approve', { id, args: { euros: 6 } })
      expect(await approvals(ada, 'ada')).toMatchObject([{ id: `${id}/2`, call: paying(6) }])
      await momentOf(world, `expired/${id}`)
      expect(await approvals(ada, 'ada')).toEqual([])
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
    await expect(answer('approve', { id })).rejects.toThrow(
      `${id} is voided already: the yes was given, and then the call failed. The newest moments of @payer show why`,
    )
  })

  it('to a call of a driver does not hold when the lease has ended', async () => {
    const inhabitation = await inhabit(world, { being: 'clerk', as: 'operator' })
    await rule({ requires: ['anyone'], ask: { who: ['@ada'] } })
    const asked = await act(world, 'clerk', paying(98))
    const { approval } = asked.waiting as { approval: string }
    await inhabitation.release()
    await answer('approve', { id: approval }, 'ada')
    expect(await carriedOut(approval)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(await stateOf(approval)).toBe('voided')
  })

  it('to a call of a driver holds while the lease does', async () => {
    const inhabitation = await inhabit(world, { being: 'clerk', as: 'operator' })
    const asked = await act(world, 'clerk', paying(97))
    const { approval } = asked.waiting as { approval: string }
    await answer('approve', { id: approval }, 'ada')
    expect(await carriedOut(approval)).toMatchObject({ outcome: 'act', driver: '@operator' })
    expect(await paid()).toEqual({ euros: 97 })
    await inhabitation.release()
  })

  it('is said by a person that the rule asks, and by nobody else', async () => {
    await pay(96)
    const [waits] = await approvals(ada, 'ada')
    const { id } = waits!
    for (const action of ['approve', 'deny'] as const)
      await expect(answer(action, { id })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const approving = { verb: 'do', operation: 'approve', target: '@clerk', args: { id } } as const
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
    ({ verb: 'do', operation: 'till:send', target: '/shop', args: { euros } }) as const
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

describe('against tricks', () => {
  it('a yes is to the call that was shown, and not to what another person made of it', async () => {
    await rule({ requires: ['anyone'], ask: { who: ['operator', '@ada'], count: 2 } })
    await pay(50)
    const { id } = await last()
    await answer('approve', { id, args: { euros: 51 } }, 'ada')
    await expect(answer('approve', { id })).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
    const changed = await last()
    expect(changed).toMatchObject({ id: `${id}/2`, call: paying(51), on: '/shop' })
    expect((await approvals(world, 'operator')).map((one) => one.id)).not.toContain(id)
    expect(await answer('approve', { id: changed.id })).toMatchObject({ result: { state: 'given' } })
    expect(await carriedOut(id)).toMatchObject({ outcome: 'act' })
    expect(await paid()).toEqual({ euros: 51 })
  })

  it('nobody is asked about what was done outside already', async () => {
    const wiring = { verb: 'do', operation: 'till:wire', target: '/shop', args: { euros: 60 } } as const
    const asking = { requires: ['anyone'], ask: { who: ['operator'] } }
    meanwhile.run = () =>
      doAs(world, 'set-space', '/shop', {
        field: 'permissions.do',
        value: { 'till:wire': asking },
        merge: false,
      })
    const done = await play(world, 'clerk', wiring)
    expect(done).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(await approvals(world, 'operator')).toEqual([])
    expect(sent.filter((euros) => euros === 60)).toEqual([60])
    meanwhile.run = async () => undefined
  })

  it('one yes does one thing outside, though its life is cut short and another one begins', async () => {
    const wiring = { verb: 'do', operation: 'till:wire', target: '/shop', args: { euros: 61 } } as const
    await play(world, 'clerk', wiring)
    const { id } = await last()
    const handle = world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, 'clerk'))
    meanwhile.run = () => handle.terminate()
    await answer('approve', { id })
    await until(() => sent.includes(61))
    await until(async () => (await handle.describe()).status.name === 'TERMINATED')
    meanwhile.run = async () => undefined
    await ring(world, 'clerk')
    expect(await carriedOut(id)).toMatchObject({ outcome: 'failure', reason: 'INTERNAL' })
    expect(sent.filter((euros) => euros === 61)).toEqual([61])
    // the key rests on the yes, and so does that of the next life
    const { rows } = await sql<{ cause: object }>`
      select convert_from(request, 'utf8')::jsonb->'cause' as cause from treeos.moment_effect
      where convert_from(request, 'utf8')::jsonb->>'key' = ${keys.at(-1)}`.execute(world.owner)
    const facts = await listFactsAfter(world.db, `approval:${id}`, 0, 10)
    const yes = facts.findLast(({ header }) => header.kind === 'approval:given')
    expect(rows).toEqual([{ cause: { yes: yes?.hash } }])
  })

  it('a being that asks again after each no comes to an end', async () => {
    await rule({ requires: ['anyone'], ask: { who: ['operator'] } })
    await world.birth({ name: 'mule', cognition: 'scripted', script: 'till:stubborn', role: 'stage:free' })
    await doAs(world, 'set-budget', '@mule', { selfContinues: 2 })
    let moment = await live(world, 'mule', 'go')
    for (let i = 0; i < 2; i++) {
      expect(moment.outcome).toBe('waiting')
      const { id } = await last()
      await answer('deny', { id })
      moment = await momentOf(world, `denied/${id}`)
    }
    expect(moment).toMatchObject({ outcome: 'failure', reason: 'RATE_LIMITED' })
  })

  it('a being has so many calls that wait, and no more', async () => {
    await world.birthPuppet('spammer')
    for (let i = 1; i <= LIMITS.asksPerBeingMax; i++)
      expect(await play(world, 'spammer', paying(i))).toMatchObject({ outcome: 'waiting' })
    const entries = (await inbox(world, 'operator')).map(({ correlation }) => correlation)
    await closeInbox(world, { as: 'operator', how: 'dismissed', entries }) // which answers none of them
    expect(await play(world, 'spammer', paying(99))).toMatchObject({
      outcome: 'failure',
      reason: 'RATE_LIMITED',
    })
  })

  it('a flow that reads why the moment began gives the same roles to the one that brings the yes', async () => {
    await world.birthPuppet('porter', {
      role: 'stage:mute',
      roleFlow: [{ when: { 'wake.kind': 'message' }, role: 'spender' }],
    })
    expect(await play(world, 'porter', paying(71))).toMatchObject({ outcome: 'waiting', primary: 'spender' })
    const { id } = await last()
    await answer('approve', { id })
    expect(await carriedOut(id)).toMatchObject({ outcome: 'act', primary: 'spender' })
  })

  it('a rule that asks somebody who does not live is refused where it is written', async () => {
    await expect(rule({ ask: { who: ['@nobody'] } })).rejects.toMatchObject({ code: 'BEING_NOT_FOUND' })
  })
})

it('replays and verifies', async () => {
  await expectReplays(world)
  await expectUnbroken(world)
})
