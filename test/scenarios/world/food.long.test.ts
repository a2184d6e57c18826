import { explain, moments, plantScene, see, summon } from '@treeos/client'
import { canonicalJson, type Json, type JsonObject, LIMITS } from '@treeos/core'
import food from '@treeos/food'
import { beforeAll, describe, expect, it } from 'vitest'
import { doAs, groundOf, live, play } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage, food] })

const says = async () =>
  (await summon(world, { target: 'pia', content: { ask: 'totals' }, as: 'operator', waitSeconds: 20 })).reply
    ?.content
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
      canSee: ['/kitchen'],
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
      operation: 'create-matter',
      target: '/kitchen',
      args: { id: 'g', type: 'food-log' },
    }
    expect(await play(world, 'guest', call)).toMatchObject({ outcome: 'act' })
    expect(await says()).toHaveLength(1)
    const asked = { target: 'pia', as: 'operator', waitSeconds: 20 }
    const words = '2026-11-22: 490 kcal in 2 entries. 2026-11-21: 830 kcal in 2 entries.'
    expect((await summon(world, { ...asked, content: 'How were the days?' })).reply?.content).toBe(words)
    // Told of a meal, it answers what the days came to.
    expect((await summon(world, { ...asked, content: { ate: ate(0, '2026-11-21') } })).reply?.content).toBe(
      '2026-11-22: 490 kcal in 2 entries. 2026-11-21: 830 kcal in 3 entries.',
    )
  })
})

describe('food:log refuses by name, and nothing is written', () => {
  const own = 'matter:keepers'
  it.each<[string, string, JsonObject, string, RegExp]>([
    ['all missing', own, {}, 'INVALID_INPUT', /day is missing; .*; food is missing; .*; kcal is missing/],
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
      operation: 'food:log',
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
    await world.birthPuppet('keeper', { home: '/kitchen' })
    const call = (operation: string, target: string, args: JsonObject) =>
      play(world, 'keeper', { verb: 'do', operation, target, args })
    await call('create-matter', '/kitchen', { id: 'keepers', type: 'food-log' })
  })

  it('the log of somebody else, and a log that is over', async () => {
    const logs = (target: string) =>
      play(world, 'keeper', { verb: 'do', operation: 'food:log', target: `matter:${target}`, args: ate(5) })
    expect(await logs('pias-food')).toMatchObject({ reason: 'FORBIDDEN' })
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

  it('replays identically, with the totals of the days', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
