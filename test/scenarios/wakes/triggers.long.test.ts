import { setTimeout as sleep } from 'node:timers/promises'
import { inhabit, moments, reply } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import {
  findDecision,
  findEntry,
  findReply,
  listBusy,
  listOpenSummons,
  listOutcomes,
  listUnclaimed,
} from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  doAs,
  groundOf,
  live,
  momentOf,
  publish,
  ring,
  setFlow,
  setRole,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })
beforeAll(async () => {
  for (const [name, triggerOn] of Object.entries(TRIGGERS)) {
    await setRole(world, { name, canSummon: [{ rel: 'asker' }], prompt: '', triggerOn })
  }
})

const TRIGGERS: Record<string, string[]> = {
  store: [],
  listens: ['message'],
  clock: ['schedule', 'idle'],
  senses: ['change'],
}
const birth = (name: string, role: string, more: JsonObject = {}) =>
  world.birth({ name, cognition: 'scripted', script: 'echo', role, ...more })
const noticesOf = async (being: string, about: string) =>
  (await wakesOf(world, being)).filter(
    ({ content }) => (content as JsonObject | null)?.actor === `@${about}` && (content as JsonObject).code,
  )

describe('a role with triggerOn []', () => {
  it('stores what it is told: nothing is decided or sealed, and nobody is told of a failure', async () => {
    await birth('vault', 'store')
    const before = await groundOf(world)
    const correlation = await tell(world, 'vault', 'keep this')
    const moment = await momentOf(world, correlation)
    expect(moment).toMatchObject({ outcome: 'skipped', reason: 'not-triggered' })
    const [outcome] = await listOutcomes(world.db, 'vault')
    expect(await findDecision(world.db, outcome!.moment)).toBe(null)
    expect(await noticesOf('operator', 'vault')).toEqual([])
    // The operator spoke, which is one fact; no other was written.
    expect(Number(((await groundOf(world)) as { facts: number }).facts)).toBe(
      Number((before as { facts: number }).facts) + 1,
    )
  })

  it('keeps it in the inbox, where it waits for no moment and is rung for no more', async () => {
    const stored = await listOpenSummons(world.db, 'vault')
    expect(stored).toMatchObject([{ content: 'keep this', closedBy: null }])
    await ring(world, 'vault')
    await sleep(1500)
    expect(await listOutcomes(world.db, 'vault')).toHaveLength(1)
    expect(await listUnclaimed(world.db, 0, 10)).not.toContain('vault')
    expect((await listBusy(world.db, 0, 10)).map(({ being }) => being)).not.toContain('vault')
  })

  it('lets whoever decides for the being answer it later, which closes it', async () => {
    const [stored] = await listOpenSummons(world.db, 'vault')
    const inhabitation = await inhabit(world, { being: 'vault', as: 'operator' })
    await reply(world, { correlation: stored!.id, content: 'here it is', as: 'vault', waitSeconds: null })
    expect((await moments(world.db, 'vault')).at(-1)).toMatchObject({ outcome: 'act', primary: 'store' })
    await inhabitation.release()
    expect((await findEntry(world.db, stored!.id))?.closedBy).not.toBe(null)
    expect(await findReply(world.db, 'operator', stored!.id)).toMatchObject({ content: 'here it is' })
  })

  it('survives a new life of the being', async () => {
    const correlation = await tell(world, 'vault', 'and this')
    await momentOf(world, correlation)
    await sleep(1000) // its task has to reach history, or nothing there tells of the moment
    await world.temporal.workflow.getHandle(`being/${world.reality.name}/vault`).terminate()
    await ring(world, 'vault')
    await sleep(1500)
    expect((await listOpenSummons(world.db, 'vault')).map(({ id }) => id)).toEqual([correlation])
    expect((await listOutcomes(world.db, 'vault')).filter(({ wake }) => wake === correlation)).toHaveLength(1)
  })
})

describe('triggerOn names what opens a moment', () => {
  it.each([
    ['listens', { message: 'act', schedule: 'skipped', change: 'skipped' }],
    ['clock', { message: 'skipped', schedule: 'see', change: 'skipped' }],
    ['senses', { message: 'skipped', schedule: 'skipped', change: 'see' }],
    ['resident', { message: 'act', schedule: 'see', change: 'see' }],
  ])(
    'as %s',
    async (role, outcomes) => {
      const being = `being-${role}`
      await birth(being, role, {
        roleFlow: [{ stack: true, when: { 'world.sea.level': { present: true } }, role: 'stage:mode-1' }],
      })
      const message = await live(world, being, 'hello')
      await publish(world, 'sea.level', being)
      const change = await until(async () =>
        (await wakesOf(world, being)).find(({ id }) => id.startsWith('change/')),
      )
      await doAs(world, 'set-schedule', `@${being}`, { name: 'tick', everySeconds: 1 })
      const tick = await until(async () =>
        (await wakesOf(world, being)).find(({ id }) => id.startsWith('schedule/')),
      )
      await doAs(world, 'delete-schedule', `@${being}`, { name: 'tick' })
      expect({
        message: message.outcome,
        schedule: (await momentOf(world, tick.id)).outcome,
        change: (await momentOf(world, change.id)).outcome,
      }).toEqual(outcomes)
      expect(await noticesOf('operator', being)).toEqual([])
      expect(await listOpenSummons(world.db, being)).toHaveLength(outcomes.message === 'skipped' ? 1 : 0)
    },
    30_000,
  )

  it('by the role that the flow resolves in that moment, not by the default', async () => {
    await birth('shop', 'store')
    await setFlow(world, 'shop', [{ when: { 'world.shop.open': true }, role: 'listens' }])
    expect(await live(world, 'shop', 'hello?')).toMatchObject({ reason: 'not-triggered' })
    await publish(world, 'shop.open', true)
    expect(await live(world, 'shop', 'hello?')).toMatchObject({ outcome: 'act', primary: 'listens' })
    await publish(world, 'shop.open', false)
    expect(await live(world, 'shop', 'hello?')).toMatchObject({ reason: 'not-triggered' })
  })

  it('and a being that leaves a moment unopened still wakes by itself', async () => {
    await birth('dozer', 'clock')
    await doAs(world, 'set-being', '@dozer', { field: 'wake.idle', value: 1 })
    expect(await live(world, 'dozer', 'psst')).toMatchObject({ reason: 'not-triggered' })
    const idle = await until(async () =>
      (await wakesOf(world, 'dozer')).find(({ id }) => id.startsWith('idle/')),
    )
    expect(await momentOf(world, idle.id)).toMatchObject({ outcome: 'see' })
  })
})

it('every moment replays, with the wakes that opened none', async () => {
  await doAs(world, 'set-being', '@dozer', { field: 'wake.idle', value: null })
  await until(async () => (await listUnclaimed(world.db, 0, 10)).length === 0)
  await sleep(1500)
  expect(world.errors).toEqual([])
  await expectUnbroken(world)
  await expectReplays(world)
}, 60_000)
