import { explain, moments, plantScene, see, summon } from '@treeos/client'
import { canonicalJson, type Json, type JsonObject, LIMITS } from '@treeos/core'
import food from '@treeos/food'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doAs, groundOf, live, play } from '../support/life.ts'
import { stage } from '../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../support/replaying.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ extensions: [stage, food] })
})
afterAll(() => world?.close())

const says = async () =>
  (await summon(world, { target: 'pia', content: 'how were the days?', as: 'operator', waitSeconds: 20 }))
    .reply?.content
const ate = (kcal: number, day = '2026-11-22') => ({ day, food: 'an apple', kcal })
const DAYS = [
  { day: '2026-11-22', entries: 1, kcal: 410 },
  { day: '2026-11-21', entries: 2, kcal: 830 },
]

describe('the kitchen', () => {
  it('is planted: a log is a thing, and what the days come to is seen by whoever keeps it', async () => {
    expect(await plantScene(world, food)).toBe(true)
    expect(await says()).toEqual([{ log: 'matter:pias-food', days: DAYS }])
    expect(await see(world, 'operator', 'matter:pias-food')).toMatchObject({
      type: 'food-log',
      beingLineage: ['@pia'],
      qualities: { food: { '2026-11-22': [{ food: 'bread and cheese', kcal: 410 }] } },
    })
    const facts = await world.db
      .selectFrom('fact')
      .select('kind')
      .where('reel', '=', 'matter:pias-food')
      .orderBy('seq')
      .execute()
    const logged = ['quality:set', 'food:logged']
    expect(facts.map(({ kind }) => kind)).toEqual(['matter:created', ...logged, ...logged, ...logged])
    const { n } = (await moments(world.db, 'pia', 1))[0]!
    expect((await explain(world.db, 'pia', n)).surface).toEqual({
      canSee: [],
      canDo: ['create-matter', 'food:log'],
      canSummon: ['@operator'],
      canBe: [],
    })
  })

  it('one more meal counts on its day alone, and the log of somebody else is not read', async () => {
    expect(await live(world, 'pia', { ate: ate(80) })).toMatchObject({ outcome: 'act' })
    const more = [{ day: '2026-11-22', entries: 2, kcal: 490 }, DAYS[1]]
    expect(await says()).toEqual([{ log: 'matter:pias-food', days: more }])
    const free = { name: 'guest', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' }
    await world.birth({ ...free, home: '/kitchen' })
    const call = {
      verb: 'do',
      action: 'create-matter',
      target: '/kitchen',
      args: { id: 'g', type: 'food-log' },
    }
    expect(await play(world, 'guest', call)).toMatchObject({ outcome: 'act' })
    expect(await says()).toHaveLength(1)
  })

  it('days that somebody set to something else are none, and are written over by the next meal', async () => {
    const set = (field: string, value: JsonObject | string | unknown[]) =>
      doAs(world, 'set-matter', 'matter:pias-food', { field, value: value as JsonObject })
    const before = await says()
    await set('food.someday', [{ food: 'pie', kcal: 1 }])
    await set('food.2026-11-23', 'pie')
    expect(await says()).toEqual(before)
    await live(world, 'pia', { ate: ate(70, '2026-11-23') })
    expect(await says()).toMatchObject([{ days: [{ day: '2026-11-23', entries: 1, kcal: 70 }, {}, {}] }])
  })
})

describe('food:log refuses by name, and nothing is written', () => {
  const own = 'matter:keepers'
  it.each<[string, string, JsonObject, string, RegExp]>([
    ['all missing', own, {}, 'INVALID_INPUT', /day is null: .*; food is null: .*; kcal is null/],
    ['no such day', own, ate(1, '2026-02-30'), 'INVALID_INPUT', /day is "2026-02-30": /],
    ['a day of another type', own, { ...ate(1), day: 22 }, 'INVALID_INPUT', /day is 22: .*string/],
    ['no food', own, { ...ate(1), food: '' }, 'INVALID_INPUT', /food is "": /],
    ['too long a food', own, { ...ate(1), food: 'x'.repeat(81) }, 'INVALID_INPUT', /food is "x+.*80/],
    ['less than nothing', own, ate(-1), 'INVALID_INPUT', /kcal is -1: /],
    ['no whole number', own, ate(1.5), 'INVALID_INPUT', /kcal is 1\.5: /],
    ['too much', own, ate(20_001), 'INVALID_INPUT', /kcal is 20001: .*20000/],
    ['an argument it has not', own, { ...ate(1), mood: 'good' }, 'INVALID_INPUT', /"mood"/],
    ['a space', '/kitchen', ate(1), 'INVALID_TYPE', /takes a matter, not \/kitchen/],
    ['nothing there', 'matter:nobodys', ate(1), 'MATTER_NOT_FOUND', /"nobodys"/],
  ])('%s', async (_what, target, args, code, message) => {
    const before = await groundOf(world)
    const {
      outcome,
      reason,
      message: why,
    } = await play(world, 'keeper', {
      verb: 'do',
      action: 'food:log',
      target,
      args,
    })
    expect({ outcome, reason }).toEqual({ outcome: 'failure', reason: code })
    expect(why).toMatch(message)
    expect(besideOperator(await groundOf(world))).toEqual(besideOperator(before))
  })

  /** The operator's own reel says what it told the puppet to do. */
  const besideOperator = (ground: unknown) =>
    (ground as { heads: { reel: string }[] }).heads.filter(({ reel }) => reel !== 'being:operator')

  beforeAll(async () => {
    await world.birth({
      name: 'keeper',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'stage:free',
      home: '/kitchen',
    })
    const call = (action: string, target: string, args: JsonObject) =>
      play(world, 'keeper', { verb: 'do', action, target, args })
    await call('create-matter', '/kitchen', { id: 'keepers', type: 'food-log' })
    await call('create-matter', '/kitchen', { id: 'spoon', type: 'thing' })
  })

  it('the log of somebody else, a thing that is no log, a day that is full, and a log that is over', async () => {
    const logs = (target: string) =>
      play(world, 'keeper', { verb: 'do', action: 'food:log', target: `matter:${target}`, args: ate(5) })
    expect(await logs('pias-food')).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await logs('spoon')).toMatchObject({
      reason: 'INVALID_TYPE',
      message: 'matter:spoon is a thing, not a food-log',
    })
    const full = Array.from({ length: 49 }, () => ({ food: 'rice', kcal: 10 }))
    await doAs(world, 'set-matter', 'matter:keepers', { field: 'food.2026-11-22', value: full })
    expect(await logs('keepers')).toMatchObject({ outcome: 'act' })
    expect(await logs('keepers')).toMatchObject({
      reason: 'RESOURCE_CONFLICT',
      message: '2026-11-22 of matter:keepers has 50 entries, a day takes at most 50',
    })
    await doAs(world, 'end-matter', 'matter:keepers', {})
    expect(await logs('keepers')).toMatchObject({
      reason: 'MATTER_NOT_FOUND',
      message: expect.stringContaining('"keepers"'),
    })
  })

  it('a log that holds as much as it can takes no more', async () => {
    const { qualities } = await see(world, 'operator', 'matter:pias-food')
    const free = LIMITS.qualityBytesMax - canonicalJson({ ...qualities, filler: { text: '' } } as Json).length
    const value = 'x'.repeat(free - 50)
    await doAs(world, 'set-matter', 'matter:pias-food', { field: 'filler.text', value })
    expect(await live(world, 'pia', { ate: { ...ate(1), food: 'y' } })).toMatchObject({ outcome: 'act' })
    expect(await live(world, 'pia', { ate: { ...ate(1), food: 'y'.repeat(80) } })).toMatchObject({
      outcome: 'failure',
      reason: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('matter:pias-food'),
    })
  })

  it('F49 is lived again the same, what the days came to included', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
