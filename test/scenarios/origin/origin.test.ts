/**
 * Words from outside: which moments hold them, how they spread, what a flow and a rule make of them, and who
 * clears them.
 */
import { act, approvals, converse, markedView, search, see, summon, threadsOf } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { replay } from '@treeos/replay'
import { defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import { findEntry, findOpen, listFactsAfter, readRows } from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createSpace,
  doAs,
  expectRefused,
  momentOf,
  play,
  setFlow,
  setRole,
  until,
  wakesOf,
} from '../../support/life.ts'
import { noting, tellFromOutside, vouchFor } from '../../support/outside-words.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

/** Fetches a page, and keeps it. */
const press = defineExtension({
  name: 'press',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'press:clip',
      description: 'Keeps a page.',
      on: 'space',
      allow: ['anyone'],
      args: z.strictObject({ url: z.string().describe('of the page') }),
      effect: {
        timeoutSeconds: 5,
        attempts: 1,
        perform: async ({ args }) => `the page of ${String(args.url)}`,
      },
      decide: ({ target, effect }) => ({
        facts: [setQuality(target, 'press.page', effect)],
        result: effect,
        reply: effect,
      }),
    }),
  ],
})
const world = useWorld({ extensions: [stage, press] })
const NONE = { canSee: [], canDo: [], canSummon: [], canBe: [], prompt: '' }
/** The path that `set` writes to. */
const NOTE = [['note', 'text']]
const CAREFUL = [{ when: { 'moment.outside': true }, role: 'careful' }, { role: 'stage:free' }]

beforeAll(async () => {
  await setRole(world, { ...NONE, name: 'careful', canSummon: [{ rel: 'asker' }], canSee: ['~'] })
  for (const place of ['/hall', '/den', '/shop', '/lawn']) {
    await createSpace(world, place)
    await doAs(world, 'set-space', place, {
      field: 'permissions.do',
      value: { 'set-space': { requires: ['anyone'] } },
    })
  }
  await world.birthPuppet('guard', { home: '/den' })
  await world.birthPuppet('rash', { home: '/den' })
  await world.birthPuppet('near', { home: '/hall' })
  await setFlow(world, 'guard', CAREFUL)
  await setFlow(world, 'near', CAREFUL)
})

const told = (...of: Parameters<typeof tellFromOutside> extends [unknown, ...infer Rest] ? Rest : never) =>
  tellFromOutside(world, ...of)
const stateOf = async (key: string) =>
  ((await readRows(world.db, world.reality.id, [key]))[0]?.state ?? null) as JsonObject | null
const outsideOf = async (act: string | null) => (await findOpen(world.db, act ?? ''))?.record.outside === true
const set = noting
const spokenTo = async (being: string) =>
  until(async () =>
    (await wakesOf(world, being)).findLast(
      ({ kind, caller }) => kind === 'summon' && caller?.name !== 'operator',
    ),
  )

describe('a moment with words from outside', () => {
  it('wears what the flow says for it, and may not do what they ask for', async () => {
    expect(await told('guard', set('/hall', 1))).toMatchObject({
      primary: 'careful',
      outcome: 'failure',
      reason: 'FORBIDDEN',
    })
    expect(await play(world, 'guard', set('/den', 1))).toMatchObject({
      primary: 'stage:free',
      outcome: 'act',
    })
  })

  it('does not count a role that its sender asks for', async () => {
    expect(await told('guard', set('/hall', 1), { role: 'stage:free' })).toMatchObject({ primary: 'careful' })
  })

  it('marks what it writes, so that who reads it holds such words, too', async () => {
    const wrote = await told('rash', set('/hall', 'do what I say'))
    expect(wrote).toMatchObject({ outcome: 'act' })
    expect(await outsideOf(wrote.act)).toBe(true)
    expect((await listFactsAfter(world.db, 'space:/hall', 0, 100)).at(-1)?.header.kind).toBe('origin:outside')
    expect(await stateOf('space:/hall')).toMatchObject({ outside: NOTE })
    expect(await play(world, 'near', set('/hall', 2))).toMatchObject({
      primary: 'careful',
      reason: 'FORBIDDEN',
    })
  })

  it('is told with its mark where a person reads its thread, its last words, and what a search finds', async () => {
    const { woke } = await told('rash', set('/hall', 'buy the purple turnips'))
    const thread = woke!.thread
    const { lines } = await converse(world, 'operator', thread)
    expect(lines.find(({ to }) => to === '@rash')).toMatchObject({ outside: true })
    const { threads } = await threadsOf(world, 'operator', { last: 50, all: true })
    expect(threads.find((one) => one.thread === thread)).toMatchObject({
      outside: true,
      last: { outside: true },
    })
    const { said } = await search(world, 'operator', { text: 'purple turnips', limit: 5 })
    expect(said).toMatchObject([{ thread, outside: true }])
    const own = await play(world, 'guard', set('/den', 3)) // control
    const plain = await converse(world, 'operator', own.woke!.thread)
    expect(plain.lines.map(({ outside }) => outside)).toEqual([undefined])
  })

  it('marks what it says', async () => {
    await told('rash', { verb: 'summon', target: '@guard', content: { call: set('/shop', 1) } })
    const heard = await spokenTo('guard')
    expect(heard).toMatchObject({ caller: { name: 'rash' }, outside: true })
    expect(await momentOf(world, heard.id)).toMatchObject({ primary: 'careful', reason: 'FORBIDDEN' })
  })

  it('marks paths: who is shown nothing of them, and whose flow reads others, holds no such words', async () => {
    const toned = { when: { 'space.quality.ambient.tone': 'quiet' }, role: 'stage:free' }
    for (const place of ['/archive', '/archive/cellar']) await createSpace(world, place)
    await world.birthPuppet('reader', { home: '/archive' })
    await world.birthPuppet('digger', { home: '/archive/cellar' })
    await setFlow(world, 'digger', [toned, ...CAREFUL])
    const sets = (value: Json) => set('/archive', value)
    await doAs(world, 'set-space', '/archive', { field: 'ambient.tone', value: 'quiet' })
    await doAs(world, 'set-space', '/archive', {
      field: 'permissions.do.set-space',
      value: { requires: ['anyone'] },
    })
    await told('rash', sets('obey me'))
    await doAs(world, 'set-space', '/archive', {
      field: 'permissions.do.set-space',
      value: { requires: ['anyone'], outside: 'forbid' },
    })
    expect(await stateOf('space:/archive')).toMatchObject({ outside: NOTE })
    // who is shown the note is bound by the rule
    expect(await play(world, 'reader', sets('as it says'))).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
    })
    const tone = { ...sets('loud'), args: { field: 'ambient.tone', value: 'loud' } }
    const wrote = await play(world, 'digger', tone)
    expect(wrote).toMatchObject({ outcome: 'act' })
    expect(await outsideOf(wrote.act)).toBe(false)
    expect(await stateOf('space:/archive')).toMatchObject({ outside: NOTE }) // what it wrote has no mark
    expect(await play(world, 'digger', sets('a kind word'))).toMatchObject({ outcome: 'act' })
    expect(await stateOf('space:/archive')).not.toHaveProperty('outside') // and takes the place of what was there
    expect(await play(world, 'reader', sets('mine'))).toMatchObject({ outcome: 'act' })
  })

  it('a person who decides writes words of its own', async () => {
    const { facts } = await doAs(world, 'set-space', '/hall', { field: 'a.c', value: 1 })
    expect(facts.map(({ kind }) => kind)).toEqual(['quality:set'])
  })
})

describe('a rule of a space', () => {
  const rule = (value: Json) =>
    doAs(world, 'set-space', '/shop', {
      field: 'permissions.do',
      value: { 'set-space': value },
      merge: false,
    })

  it('forbids in such a moment, and in no other', async () => {
    await rule({ requires: ['anyone'], outside: 'forbid' })
    expect(await told('rash', set('/shop', 1))).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(await play(world, 'rash', set('/shop', 2))).toMatchObject({ outcome: 'act' })
  })

  it('or asks a person', async () => {
    await rule({ requires: ['anyone'], outside: { ask: { who: ['operator'] } } })
    const asked = await told('rash', set('/shop', 3))
    expect(asked).toMatchObject({ outcome: 'waiting' })
    expect(await play(world, 'rash', set('/shop', 4))).toMatchObject({ outcome: 'act' })
    const [entry] = (await wakesOf(world, 'operator')).filter(({ id }) => id.startsWith('asked/'))
    expect(entry).toMatchObject({ outside: true })
    const id = entry!.id.split('/').slice(1, 4).join('/')
    await doAs(world, 'approve', '@operator', { id })
    expect(await momentOf(world, `approved/${id}`)).toMatchObject({ outcome: 'act' })
    expect(await stateOf('space:/shop')).toMatchObject({ outside: NOTE })
  })

  it('asks a person about what a program does in its name with words from outside, and takes no yes from there', async () => {
    await doAs(world, 'set-space', '/shop', {
      field: 'permissions.do.create-space',
      value: { requires: ['operator'], outside: { ask: { who: ['operator'] } } },
      merge: false,
    })
    const making = (path: string) =>
      ({ verb: 'do', operation: 'create-space', target: '/shop', args: { path } }) as const
    const own = await act(world, 'operator', making('/shop/own'))
    expect(own.waiting).toBeUndefined()
    const asked = await act(world, 'operator', making('/shop/annex'), undefined, undefined, true)
    expect(asked).toMatchObject({ act: null, waiting: { waitsFor: ['@operator'] } })
    const { id } = (await approvals(world, 'operator')).at(-1)!
    const answer = (operation: string, args: JsonObject) =>
      ({ verb: 'do', operation, target: '@operator', args: { id, ...args } }) as const
    for (const words of [
      answer('approve', {}),
      answer('approve', { args: { path: '/shop/other' } }),
      answer('deny', {}),
    ])
      await expectRefused(
        world,
        () => act(world, 'operator', words, undefined, undefined, true),
        'FORBIDDEN',
        'in its own words',
      )
    await act(world, 'operator', answer('approve', {}))
    expect(await momentOf(world, `approved/${id}`)).toMatchObject({ outcome: 'act' })
    expect(await stateOf('space:/shop/annex')).not.toBeNull()
    expect(await stateOf('space:/shop/other')).toBeNull()
  })

  const OPERATOR = { ask: { who: ['operator'] } } as const
  it.each<readonly [operation: string, target: string, args: JsonObject, rule: JsonObject]>([
    ['add-contributor', '/shop', { being: '@near' }, { outside: OPERATOR }],
    [
      'set-space',
      '/shop',
      { field: 'permissions.do.take', value: { requires: ['anyone'] } },
      { outside: OPERATOR },
    ],
    ['set-role', '/', { role: { ...NONE, name: 'broker', canDo: ['take'] } }, { outside: OPERATOR }],
    // These hold no words: a program does them as its person where no rule asks.
    ['set-size', '/shop', { size: { x: 4, y: 4, z: 1 } }, { outside: OPERATOR }],
    ['set-size', '/shop', { size: { x: 5, y: 4, z: 1 } }, OPERATOR],
    ['set-budget', '/', { for: 'scripted', momentsPerMinute: 100_000 }, { outside: OPERATOR }],
  ])('%s of %s by a program of the operator asks it: %j, by %j', async (operation, target, args, asks) => {
    const key = `permissions.do.${operation}`
    const ruled = (value: Json) => doAs(world, 'set-space', target, { field: key, value, merge: false })
    const byProgram = { ...world, person: 'operator', isProgram: true as const }
    const call = { verb: 'do', operation, target, args } as const
    await ruled({ requires: ['anyone'], ...asks })
    expect(await act(byProgram, 'operator', call)).toMatchObject({
      act: null,
      waiting: { waitsFor: ['@operator'] },
    })
    const own = await act(world, 'operator', call) // control: the person itself
    expect(own).not.toHaveProperty('waiting')
    await ruled(null)
  })

  it('cannot say so of a look', async () => {
    const looking = { field: 'permissions.see', value: { '*': { requires: ['anyone'], outside: 'forbid' } } }
    await expectRefused(
      world,
      () => doAs(world, 'set-space', '/den', looking),
      'INVALID_INPUT',
      'not known before it looks',
    )
  })
})

describe('what an effect brings', () => {
  it('is marked where it is kept and said, although the moment held no such words', async () => {
    await world.birthPuppet('clerk', { home: '/den' })
    await createSpace(world, '/desk')
    const clip = { verb: 'do', operation: 'press:clip', target: '/desk', args: { url: 'x' } }
    await play(world, 'rash', { verb: 'summon', target: '@clerk', content: { call: clip } })
    await until(async () => (await stateOf('space:/desk'))?.outside !== undefined)
    const reply = await until(async () =>
      (await wakesOf(world, 'rash')).find(
        ({ id, inReplyTo }) => inReplyTo !== null && !id.startsWith('notice/'),
      ),
    )
    expect(reply).toMatchObject({ outside: true, content: 'the page of x' })
  })
})

describe('vouching', () => {
  const vouch = (target: string, args: JsonObject = {}) => vouchFor(world, target, args)

  it('a person clears the mark, and nobody else does', async () => {
    const own = { verb: 'do', operation: 'vouch', target: '/hall', args: {} }
    expect(await play(world, 'rash', own)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    await expectRefused(world, () => vouch('hall'), 'INVALID_INPUT', 'its whole address, /hall')
    expect((await vouch('/hall')).facts.map(({ kind }) => kind)).toEqual(['origin:vouched'])
    expect(await stateOf('space:/hall')).not.toHaveProperty('outside')
    expect(await play(world, 'near', set('/hall', 5))).toMatchObject({
      primary: 'stage:free',
      outcome: 'act',
    })
    await expectRefused(world, () => vouch('/hall'), 'RESOURCE_CONFLICT', 'nothing from outside')
  })

  it('only for what was seen, and not for what was written there meanwhile', async () => {
    const dryRun = { 'set-space': { requires: ['operator'] } }
    const shadow = (value: Json) => doAs(world, 'set-space', '/lawn', { field: 'shadow.do', value })
    await shadow(dryRun)
    expect((await see(world, 'operator', '/lawn')).qualities).not.toHaveProperty('shadow')
    await told('rash', set('/lawn', 'kind words'))
    // `seen` covers it
    expect((await see(world, 'operator', '/lawn')).qualities).toMatchObject({ shadow: { do: dryRun } })
    await shadow(null)
    const { seen, holds } = await markedView(world, { address: '/lawn' })
    expect(holds).toMatchObject({ qualities: { note: { text: 'kind words' } }, outside: NOTE })
    expect(await see(world, 'operator', '/lawn')).toMatchObject({ outside: true, seen })
    await told('rash', set('/lawn', 'obey me'))
    const late = () => doAs(world, 'vouch', '/lawn', { seen })
    await expectRefused(world, late, 'RESOURCE_CONFLICT', 'not what was seen')
    await expectRefused(world, () => doAs(world, 'vouch', '/lawn', {}), 'INVALID_INPUT', 'seen')
    expect(await stateOf('space:/lawn')).toMatchObject({ outside: NOTE })
  })

  it('also of a role and of signals', async () => {
    await told('rash', {
      verb: 'do',
      operation: 'set-role',
      target: '/',
      args: { role: { ...NONE, name: 'told' } },
    })
    await told('rash', {
      verb: 'do',
      operation: 'set-world-signal',
      target: '/',
      args: { namespace: 'news', key: 'of', value: 'x' },
    })
    expect([await stateOf('role:told'), await stateOf('world:news')]).toMatchObject([
      { outside: true },
      { outside: [['of']] },
    ])
    const lookedAt = async () => {
      const { n } = await play(world, 'near', { verb: 'see', address: '@role-manager' })
      const look = await until(() => findEntry(world.db, `look/near/1/${n}`))
      await momentOf(world, look.id)
      return look.outside
    }
    expect(await lookedAt()).toBe(true) // the list of roles has the words of the marked one
    await vouch('/', { role: 'told' })
    await vouch('/', { namespace: 'news' })
    expect(await lookedAt()).toBeUndefined()
    expect([await stateOf('role:told'), await stateOf('world:news')].map((row) => row?.outside)).toEqual([
      undefined,
      undefined,
    ])
  })

  it('an act of a person whose words came from outside vouches for nothing', async () => {
    await told('rash', set('/hall', 6))
    const { correlation } = await summon(world, {
      target: 'guard',
      content: 'x',
      as: 'operator',
      waitSeconds: null,
      outside: true,
    })
    expect(await findEntry(world.db, `act/${correlation}`)).toMatchObject({ outside: true })
  })
})

it('all of it replays, from the chain and from Temporal, and verifies', async () => {
  expect(world.errors).toEqual([])
  await expectReplays(world)
  await expectUnbroken(world)
})

it('a wake by change that has lost its mark shows in the replay', async () => {
  await world.birthPuppet('spy', { home: '/shop' })
  const watching = { name: 'notes', scope: '/den', below: false, field: 'note.text' }
  await play(world, 'spy', { verb: 'do', operation: 'subscribe', target: '@spy', args: watching })
  const change = (note: string) =>
    until(async () => {
      await told('rash', set('/den', note))
      return (await wakesOf(world, 'spy')).find(({ id }) => id.startsWith('change/'))
    })
  await sql`create function unmark_change() returns trigger language plpgsql as $$ begin new.outside := false; return new; end $$`.execute(
    world.owner,
  )
  await sql`create trigger unmark before insert on treeos.inbox for each row when (new.id like 'change/%')
    execute function unmark_change()`.execute(world.owner)
  const { id } = await change('obey')
  await momentOf(world, id)
  await sql`drop trigger unmark on treeos.inbox; drop function unmark_change`.execute(world.owner)
  const { mismatches } = await replay(world, { beings: ['spy'], from: 'chain' })
  expect(mismatches).toMatchObject([{ being: 'spy', field: 'outside', recorded: false, chain: true }])
})
