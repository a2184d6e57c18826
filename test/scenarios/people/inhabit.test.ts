import { act, inbox, inhabit, moments, reply, see, summon } from '@treeos/client'
import { actWakeId, type BeingName, type Json, type JsonObject, newWake, PRIORITIES } from '@treeos/core'
import { beingWorkflowId, COGNITION } from '@treeos/protocol'
import { enqueue, findLease, findOpen } from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  askedFor,
  doAs,
  factsOf,
  live,
  momentOf,
  play,
  ring,
  rowOf,
  setFlow,
  setRole,
  tell,
  until,
  wakesOf,
} from '../../support/life.ts'
import { drawn } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'
import type { World } from '../../support/world.ts'

/** The same world, as another person who lives there. */
let ada: World
const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })
beforeAll(async () => {
  ada = { ...world, person: 'ada' }
  for (const name of ['ada', 'bob']) await world.birth({ name, cognition: 'human', role: 'stage:free' })
  await birthAs('ada', { name: 'kid', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' })
  await play(world, 'kid', {
    verb: 'be',
    operation: 'birth',
    args: { name: 'grandkid', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' },
  })
  await world.birth({ name: 'oracle', cognition: 'llm', role: 'resident' })
})

const birthAs = (being: BeingName, args: JsonObject) =>
  act({ ...world, person: being }, being, { verb: 'be', operation: 'birth', args })
const connectTo = (being: BeingName, as: BeingName) =>
  act({ ...world, person: as }, as, { verb: 'be', operation: 'connect', args: { being: `@${being}` } })
const headersOf = async (being: BeingName, kind: string): Promise<Json[]> => {
  const rows = await world.db
    .selectFrom('fact')
    .select('header')
    .where('reel', '=', `being:${being}`)
    .where('kind', '=', kind)
    .orderBy('seq')
    .execute()
  return rows.map(({ header }) => JSON.parse(header.toString('utf8')) as Json)
}
/** Lets the lease run out, as if its holder had stopped renewing it. */
const runOut = (being: BeingName) =>
  sql`update treeos.lease set expires = clock_timestamp() where being = ${being}`.execute(world.owner)
const isFree = (being: BeingName) =>
  until(async () => (await rowOf(world, being)).inhabited?.by === null, { what: `${being} freed` })

describe('whom a person may inhabit', () => {
  it.each(['kid', 'grandkid'])('a descendant: @%s', async (being) => {
    const inhabitation = await inhabit(ada, { being, as: 'ada' })
    expect(await see(world, 'operator', `@${being}`)).toMatchObject({ identity: { inhabitedBy: '@ada' } })
    await inhabitation.release()
    expect(await inhabitation.over).toBe('released')
    expect((await see(world, 'operator', `@${being}`)).identity).not.toHaveProperty('inhabitedBy')
  })

  it.each(
    drawn([
      ['itself', 'ada'],
      ['an ancestor', 'operator'],
      ['a sibling', 'bob'],
      ['a stranger', 'oracle'],
    ]),
  )('not %s: @%s', async (_who, being) => {
    const before = await headersOf(being, 'being:inhabited')
    await expect(inhabit(ada, { being, as: 'ada' })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: `@${being} does not descend from @ada: only one's own offspring is inhabited`,
    })
    expect(await headersOf(being, 'being:inhabited')).toEqual(before)
    expect(await findLease(world.db, being)).toBeNull()
  })

  it('only a person has hands: a being with another mind inhabits nobody', async () => {
    const call = { verb: 'be', operation: 'connect', args: { being: '@grandkid' } }
    expect(await play(world, 'kid', call)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  })

  it.each(
    drawn<[string, Json, string, RegExp]>([
      ['missing', {}, 'INVALID_INPUT', /connect: being is missing/],
      ['no text', { being: 7 }, 'INVALID_INPUT', /being is 7/],
      ['no stance', { being: 'kid' }, 'ADDRESS_PARSE_ERROR', /"kid"/],
      ['nobody', { being: '@nobody' }, 'BEING_NOT_FOUND', /@nobody/],
      ['too long', { being: `@${'x'.repeat(33)}` }, 'ADDRESS_PARSE_ERROR', /xxx/],
      ['of another name', { being: '@kid', who: 'me' }, 'INVALID_INPUT', /"who"/],
    ]),
  )('bad input, %s: refused by name, and nothing is written', async (_what, args, code, message) => {
    for (const operation of ['connect', 'release']) {
      if (operation === 'release' && Object.keys(args as JsonObject).length === 0) continue // means itself
      const call = { verb: 'be', operation, args } as never
      await expect(act(ada, 'ada', call)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(new RegExp(message.source.replace('connect', operation))),
      })
    }
    expect(await findLease(world.db, 'kid')).toBeNull()
  })
})

describe('after the release', () => {
  it('TreeosCognition and me.previousRole say what holds, although nothing else woke the being', async () => {
    await setRole(world, { name: 'hands', requiredCognition: 'human', canDo: ['set-being'], prompt: '' })
    await world.birth({ name: 'puppet', cognition: 'llm', role: 'resident' })
    await setFlow(world, 'puppet', [
      { role: 'hands' },
      { when: { 'me.previousRole': 'hands' }, role: 'stage:free' },
    ])
    const cognition = async () => {
      const handle = world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, 'puppet'))
      return (await handle.describe()).typedSearchAttributes.get(COGNITION)
    }
    expect(await live(world, 'puppet', 'hello')).toMatchObject({ primary: 'resident' })
    await until(async () => (await cognition()) === 'llm')
    const inhabitation = await inhabit(world, { being: 'puppet', as: 'operator' })
    const field = { field: 'mood.tone', value: 'driven' }
    await act(world, 'puppet', { verb: 'do', operation: 'set-being', target: '@puppet', args: field })
    await until(async () => (await cognition()) === 'human')
    const before = (await moments(world.db, 'puppet')).length
    await inhabitation.release()
    await until(async () => (await cognition()) === 'llm', { what: 'the cognition after the release' })
    const since = (await moments(world.db, 'puppet')).slice(before)
    expect(since.filter(({ verb }) => verb === 'summon')).toEqual([])
    expect(await live(world, 'puppet', 'and now?')).toMatchObject({ primary: 'stage:free' })
  })
})

describe('while a being is driven', () => {
  it('a second driver is refused by name, and so is a second hand of the first', async () => {
    const inhabitation = await inhabit(ada, { being: 'kid', as: 'ada' })
    const refusal = { code: 'RESOURCE_CONFLICT', message: expect.stringContaining('inhabited by @ada') }
    await expect(inhabit(world, { being: 'kid', as: 'operator' })).rejects.toMatchObject(refusal)
    await expect(inhabit(ada, { being: 'kid', as: 'ada' })).rejects.toMatchObject(refusal)
    // Only the holder of the lease may act as it.
    await expect(
      act(world, 'kid', { verb: 'do', operation: 'move', target: '/', args: {} }),
    ).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: '@kid is inhabited by @ada, not by you',
    })
    await expect(
      act({ ...world, person: 'bob' }, 'kid', { verb: 'do', operation: 'move', target: '/', args: {} }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await inhabitation.release()
    await expect(
      act(ada, 'ada', { verb: 'be', operation: 'release', args: { being: '@kid' } }),
    ).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT', message: 'nobody inhabits @kid' })
  })

  it('it makes no model call; its queued summons run after the release, by its own model', async () => {
    const inhabitation = await inhabit(world, { being: 'oracle', as: 'operator' })
    const asked = await Promise.all(['one', 'two', 'three'].map((text) => tell(world, 'oracle', text)))
    await expect(until(async () => askedFor(model, 'oracle').length > 0, { seconds: 3 })).rejects.toThrow()
    expect((await inbox(world, 'oracle')).map(({ correlation }) => correlation).sort()).toEqual(asked.sort())
    const [first] = await inbox(world, 'oracle')
    await reply(world, {
      correlation: first!.correlation,
      content: 'by hand',
      as: 'oracle',
      waitSeconds: null,
    })
    expect((await moments(world.db, 'oracle'))[0]).toMatchObject({ outcome: 'act', driver: '@operator' })
    expect(askedFor(model, 'oracle')).toHaveLength(0)
    expect(await inbox(world, 'oracle')).toHaveLength(2)
    await inhabitation.release()
    await until(async () => (await moments(world.db, 'oracle')).length === 3, { what: 'the queued summons' })
    expect(askedFor(model, 'oracle')).toHaveLength(2)
    for (const { driver } of (await moments(world.db, 'oracle')).slice(1)) expect(driver).toBeUndefined()
  })

  it('whom it speaks to sees a person', async () => {
    await world.birth({ name: 'listener', cognition: 'scripted', script: 'stage:puppet', role: 'stage:mute' })
    await setFlow(world, 'listener', [{ when: { 'caller.cognition': 'human' }, role: 'stage:mode-1' }])
    const speak = { verb: 'summon', target: '@listener', content: 'who am I?' }
    await play(world, 'kid', speak)
    const inhabitation = await inhabit(ada, { being: 'kid', as: 'ada' })
    const { correlation } = await summon(ada, {
      target: 'listener',
      content: 'and now?',
      as: 'kid',
      waitSeconds: null,
    })
    expect(await momentOf(world, correlation)).toMatchObject({ primary: 'stage:mode-1' })
    await inhabitation.release()
    await play(world, 'kid', speak)
    await until(async () => (await moments(world.db, 'listener')).length === 3)
    expect((await moments(world.db, 'listener')).map(({ primary }) => primary)).toEqual([
      'stage:mute',
      'stage:mode-1',
      'stage:mute',
    ])
  })

  it('lends it no reach where the lease says so: the being acts by its own, and so does whoever it asks', async () => {
    await setRole(world, {
      name: 'minder',
      canSee: ['~'],
      canDo: ['set-roleflow', 'set-role', 'set-world-signal'],
      canSummon: ['@role-manager', '@birther'],
      canBe: ['birth', 'connect', 'release'],
      prompt: 'You mind.',
    })
    await world.birth({ name: 'ward', cognition: 'scripted', script: 'stage:puppet', role: 'minder' })
    const inhabitation = await inhabit(world, { being: 'ward', as: 'operator', own: true })
    const child = { name: 'usurper', cognition: 'llm', role: 'operator' }
    const flow = [{ role: 'stage:free' }]
    const role = { name: 'usurped', canDo: [{ pattern: '*' }], prompt: '' }
    const beyond = { code: 'FORBIDDEN' }
    await expect(act(world, 'ward', { verb: 'be', operation: 'birth', args: child })).rejects.toMatchObject(
      beyond,
    )
    await expect(doAs(world, 'set-roleflow', '@ward', { flow }, 'ward')).rejects.toMatchObject(beyond)
    await expect(doAs(world, 'set-role', '/', { role }, 'ward')).rejects.toMatchObject(beyond)
    const bell = { namespace: 'stage', key: 'bell', value: true }
    await expect(doAs(world, 'set-world-signal', '/', bell, 'ward')).rejects.toMatchObject(beyond)
    const asked = [
      ['role-manager', { do: 'set-roleflow', target: '@ward', flow }],
      ['birther', { be: 'birth', ...child }],
    ] as const
    for (const [target, content] of asked) {
      const { reply: told } = await summon(world, { target, content, as: 'ward', waitSeconds: 20 })
      expect(told).toMatchObject({ content: { ok: false, error: { code: 'FORBIDDEN' } } })
    }
    // The bounds of an answer that comes after the lease.
    await inhabitation.release()
    const moment = (await moments(world.db, 'ward')).at(-1)
    expect(moment).toMatchObject({ driver: '@operator' })
    const stored = await findOpen(world.db, `ward/1/${moment?.n}`)
    expect(stored?.record).toMatchObject({ driver: 'operator', own: true })
    const lent = await inhabit(world, { being: 'ward', as: 'operator' })
    expect((await rowOf(world, 'ward')).inhabited).toEqual({ epoch: 2, by: 'operator', under: null })
    await doAs(world, 'set-roleflow', '@ward', { flow }, 'ward')
    await lent.release()
  })

  it('nor to what it asked for under such a lease and is answered after it', async () => {
    await world.birth({ name: 'warder', cognition: 'scripted', script: 'stage:puppet', role: 'minder' })
    const busy = await inhabit(world, { being: 'birther', as: 'operator' }) // what it is asked for waits
    const inhabitation = await inhabit(world, { being: 'warder', as: 'operator', own: true })
    const content = { be: 'birth', name: 'late-usurper', cognition: 'llm', role: 'operator' }
    await act(world, 'warder', { verb: 'summon', target: '@birther', content, inReplyTo: null })
    await inhabitation.release()
    await busy.release()
    const answered = async () =>
      (await wakesOf(world, 'warder')).find(({ caller }) => caller?.name === 'birther')?.content
    await until(async () => (await answered()) !== undefined, { what: 'the answer of @birther' })
    expect(await answered()).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } })
    expect(await rowOf(world, 'late-usurper')).toBeNull()
  })

  it('its driver sets its flow, publishes signals and writes roles as the child, which is recorded', async () => {
    await setRole(world, {
      name: 'apprentice',
      canSee: ['~'],
      canDo: ['set-roleflow', 'set-role', 'set-world-signal'],
      canSummon: ['@role-manager'],
      prompt: 'You learn.',
    })
    await world.birth({ name: 'pupil', cognition: 'scripted', script: 'stage:puppet', role: 'apprentice' })
    const flow = [{ role: 'stage:free' }]
    const widen = { verb: 'do', operation: 'set-roleflow', target: '@pupil', args: { flow } }
    // Its own reach bounds it, whatever it asks for and whichever being it asks.
    expect(await play(world, 'pupil', widen)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    const role = { name: 'scribe', canDo: ['move'], prompt: 'You write.' }
    const before = (await moments(world.db, 'pupil')).length
    const inhabitation = await inhabit(world, { being: 'pupil', as: 'operator' })
    await doAs(world, 'set-role', '/', { role }, 'pupil')
    await doAs(world, 'set-world-signal', '/', { namespace: 'school', key: 'bell', value: true }, 'pupil')
    // Walking to the role-manager as the child, as a person would in a portal.
    const { reply: told } = await summon(world, {
      target: 'role-manager',
      content: { do: 'set-roleflow', target: '@pupil', flow },
      as: 'pupil',
      waitSeconds: 20,
    })
    expect(told).toMatchObject({ content: { ok: true } })
    expect((await rowOf(world, 'pupil')).qualities.roleFlow).toEqual(flow)
    await inhabitation.release()
    const lived = (await moments(world.db, 'pupil')).slice(before)
    expect(lived.map(({ driver }) => driver)).toEqual(lived.map(() => '@operator'))
    for (const { n, act: acted } of lived) {
      if (acted === null) continue
      const facts = await factsOf(world, 'pupil', n)
      expect(facts.length).toBeGreaterThan(0)
    }
    const written = await world.db
      .selectFrom('fact')
      .select('header')
      .where('reel', 'in', ['registry', 'world:school', 'being:pupil'])
      .where('moment', 'like', 'pupil/%')
      .execute()
    expect(written.length).toBeGreaterThanOrEqual(3)
    const driven = written
      .map(
        ({ header }) =>
          JSON.parse(header.toString('utf8')) as { kind: string; actor: string; driver: string },
      )
      .filter(({ driver }) => driver !== null)
    expect([...new Set(driven.map(({ kind }) => kind))].sort()).toEqual([
      'being:summoned',
      'role:set',
      'signal:published',
    ])
    for (const { actor, driver } of driven)
      expect({ actor, driver }).toEqual({ actor: 'pupil', driver: 'operator' })
    // The namespace belongs to the being, which could have taken it alone.
    const ring = {
      verb: 'do',
      operation: 'set-world-signal',
      args: { namespace: 'school', key: 'bell', value: false },
    }
    await setFlow(world, 'pupil', [])
    expect(await play(world, 'pupil', ring)).toMatchObject({ outcome: 'act' })
  })
})

describe('how a lease ends', () => {
  const go = { verb: 'do', operation: 'move', target: '/library', args: {} } as const

  it('when nobody renews it: the sweep records the release, and the being goes on by its own mind', async () => {
    await connectTo('kid', 'ada')
    const queued = await tell(world, 'kid', { return: { kind: 'see', content: 'mine' } })
    await runOut('kid')
    // From that instant its driver cannot act, before and after the sweep.
    await expect(act(ada, 'kid', go)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await momentOf(world, queued)).toMatchObject({ outcome: 'see', content: 'mine' })
    await isFree('kid')
    expect((await headersOf('kid', 'being:released')).at(-1)).toMatchObject({
      actor: '$reality',
      moment: null,
    })
  })

  it('when the session above it ends: the child of a driven being is freed with it, and its queued summon runs', async () => {
    const outer = await inhabit(ada, { being: 'kid', as: 'ada' })
    const inner = await inhabit(ada, { being: 'grandkid', as: 'kid' })
    expect(await act(ada, 'grandkid', go)).toMatchObject({ act: expect.any(String) })
    expect((await headersOf('grandkid', 'being:moved')).at(-1)).toMatchObject({
      actor: 'grandkid',
      driver: 'kid',
    })
    const queued = await tell(world, 'grandkid', { return: { kind: 'see', content: 'mine' } })
    await outer.release()
    await expect(act(ada, 'grandkid', { ...go, target: '/' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await inner.over).toBe('lost')
    await isFree('grandkid')
    expect(await momentOf(world, queued)).toMatchObject({ outcome: 'see', content: 'mine' })
    await inner.release() // nothing is left to give back
  })

  it('an act that was put in under it is refused after it, however late it is lived', async () => {
    await connectTo('kid', 'ada')
    const { epoch } = (await findLease(world.db, 'kid'))!
    await act(ada, 'ada', { verb: 'be', operation: 'release', args: { being: '@kid' } })
    await connectTo('kid', 'ada')
    for (const lease of [{ driver: 'ada', epoch }, { driver: 'operator', epoch: epoch + 1 }, undefined]) {
      const id = crypto.randomUUID()
      await enqueue(
        world.db,
        'act',
        newWake({
          id: actWakeId(id),
          being: 'kid',
          kind: 'act',
          priority: PRIORITIES.human,
          content: { call: { ...go, target: '/' }, answers: null, ...(lease === undefined ? {} : { lease }) },
          root: id,
        }),
      )
      await ring(world, 'kid')
      const late = await momentOf(world, actWakeId(id))
      expect(late).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN', act: null })
      expect(late).not.toHaveProperty('driver')
    }
    await act(ada, 'kid', { verb: 'be', operation: 'release', args: {} })
    expect(await live(world, 'kid', { return: { kind: 'see', content: null } })).toMatchObject({
      outcome: 'see',
    })
  })

  it('is released by its holder, by whoever made that one, and by the being itself; by nobody else', async () => {
    await connectTo('kid', 'ada')
    const release = { verb: 'be', operation: 'release', args: { being: '@kid' } } as const
    await expect(act({ ...world, person: 'bob' }, 'bob', release)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('inhabited by @ada'),
    })
    await act(world, 'operator', release)
    expect((await rowOf(world, 'kid')).inhabited).toMatchObject({ by: null })
  })

  it('keeps its holder in as long as it is renewed', async () => {
    const inhabitation = await inhabit(ada, { being: 'kid', as: 'ada' })
    const until1 = await world.db.selectFrom('lease').select('expires').executeTakeFirstOrThrow()
    await new Promise((resolve) => setTimeout(resolve, 6000))
    const until2 = await world.db.selectFrom('lease').select('expires').executeTakeFirstOrThrow()
    expect(until2.expires.getTime()).toBeGreaterThan(until1.expires.getTime())
    await inhabitation.release()
  })
})

it('every driven moment replays identically from the chain and from Temporal', async () => {
  await expectUnbroken(world)
  const { moments: lived } = await expectReplays(world)
  expect(lived).toBeGreaterThan(60)
})
