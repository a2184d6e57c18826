import { explain, moments, plantScene, summon } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import fitness from '@treeos/fitness'
import { describe, expect, it } from 'vitest'
import { doAs, groundOf, live, play, until, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage, fitness] })

const advised = async () =>
  (await wakesOf(world, 'mia')).flatMap(({ caller, content }) => (caller?.name === 'coach' ? [content] : []))
const asks = async (exercise: string): Promise<Json> => {
  const before = (await advised()).length
  await live(world, 'mia', { ask: exercise })
  return until(async () => (await advised())[before], { what: 'advice' })
}
const squat = (session: number, set: number, reps: number, weight = 62.5) => ({
  did: { exercise: 'squat', session, set, weight, target: 5, reps },
})

describe('the gym', () => {
  it('is planted, and a coach that nobody told anything knows what was lifted', async () => {
    expect(await plantScene(world, fitness)).toBe(true)
    expect(await until(async () => (await advised())[0], { what: 'advice' })).toEqual({
      exercise: 'squat',
      advice: { weight: 62.5, why: 'all-met', session: 1 },
    })
    const facts = await world.db
      .selectFrom('fact')
      .select('reel')
      .where('kind', '=', 'matter:created')
      .orderBy('reel')
      .execute()
    expect(facts.map(({ reel }) => reel)).toEqual([1, 2, 3].map((set) => `matter:mia-squat-1-${set}`))
    const { n } = (await moments(world.db, 'coach', 1))[0]!
    expect((await explain(world.db, 'coach', n)).surface).toEqual({
      canSee: ['/gym', { pattern: 'matter:*' }],
      canDo: [],
      canSummon: ['@mia'],
      canBe: [],
    })
  })

  it('a missed session is done again, two in a row are followed by less, and a met one by more', async () => {
    await live(world, 'mia', squat(2, 1, 5))
    await live(world, 'mia', squat(2, 2, 3))
    expect(await asks('squat')).toMatchObject({ advice: { weight: 62.5, why: 'missed', session: 2 } })
    await live(world, 'mia', squat(3, 1, 4))
    expect(await asks('squat')).toMatchObject({ advice: { weight: 55, why: 'missed-twice', session: 3 } })
    await live(world, 'mia', squat(4, 1, 6, 55))
    expect(await asks('squat')).toMatchObject({ advice: { weight: 57.5, why: 'all-met', session: 4 } })
  })

  it('a set that was ended is not read any more', async () => {
    await doAs(world, 'end-matter', 'matter:mia-squat-4-1', {})
    expect(await asks('squat')).toMatchObject({ advice: { weight: 55, why: 'missed-twice', session: 3 } })
  })

  it('nobody is advised by the sets of somebody else, nor by what only says that it is a set', async () => {
    const make = (id: string, content: Json, type = 'fitness-set') =>
      doAs(world, 'create-matter', '/gym', { id, type, content })
    const set = { exercise: 'squat', session: 9, set: 1, weight: 200, target: 5, reps: 5 }
    await make('of-the-operator', set)
    for (const [i, content] of [
      null,
      7,
      'squat',
      [],
      {},
      { ...set, reps: '5' },
      { ...set, session: 0 },
    ].entries())
      await make(`no-set-${i}`, content)
    await make('no-set-by-type', set, 'thing')
    expect(await asks('squat')).toMatchObject({ advice: { weight: 55, session: 3 } })
    const asked = { target: 'coach', content: { exercise: 'squat' }, as: 'operator', waitSeconds: 20 }
    expect((await summon(world, asked)).reply?.content).toMatchObject({
      advice: { weight: 202.5, why: 'all-met', session: 9 },
    })
    expect(world.leftOut).toEqual([])
  })

  it('an exercise that was never done gets no advice; words get words, about the sets of whoever asks', async () => {
    expect(await asks('bench')).toEqual({ exercise: 'bench', advice: null })
    const says = async (content: Json) =>
      (await summon(world, { target: 'coach', content, as: 'operator', waitSeconds: 20 })).reply?.content
    for (const content of ['What next at the squat?', 'And now?', { exercise: 7 }] as Json[])
      expect(await says(content)).toBe('squat: 202.5 kg next, since all targets were met.')
    await doAs(world, 'end-matter', 'matter:of-the-operator', {})
    expect(await says('What next at the squat?')).toBe(
      'I have seen no set of yours here, so I can name no weight yet.',
    )
  })
})

describe('a malformed set is recorded nowhere, and the error names the fault', () => {
  const { did } = squat(5, 1, 5)
  it.each<[string, Json, string, RegExp]>([
    ['no object', 'squat', 'INVALID_INPUT', /expected object/],
    ['a part is missing', { ...did, reps: null }, 'INVALID_INPUT', /reps/],
    ['a part is of another type', { ...did, weight: '60' }, 'INVALID_INPUT', /weight/],
    ['too much', { ...did, weight: 1001 }, 'INVALID_INPUT', /1000[\s\S]*weight/],
    ['no reps at all are too few of a target', { ...did, target: 0 }, 'INVALID_INPUT', /target/],
    ['a malformed name', { ...did, exercise: 'Bench Press' }, 'INVALID_INPUT', /exercise/],
    ['a set that was noted before', { ...did, session: 1 }, 'RESOURCE_CONFLICT', /mia-squat-1-1 is taken/],
  ])('%s', async (_what, content, reason, message) => {
    const things = () =>
      world.db.selectFrom('fact').select('reel').where('reel', 'like', 'matter:%').execute()
    const before = await things()
    expect(await live(world, 'mia', { did: content })).toMatchObject({
      outcome: 'failure',
      reason,
      message: expect.stringMatching(message),
    })
    expect(await things()).toEqual(before)
  })

  it.each<[string, JsonObject, string]>([
    ['too large', { id: 'huge', type: 'fitness-set', content: 'x'.repeat(64 * 1024) }, 'PAYLOAD_TOO_LARGE'],
    ['a malformed type', { id: 'odd', type: 'Fitness Set' }, 'INVALID_INPUT'],
  ])('create-matter, %s', async (_what, args, code) => {
    const before = await groundOf(world)
    await expect(doAs(world, 'create-matter', '/gym', args)).rejects.toMatchObject({ code })
    expect(await groundOf(world)).toEqual(before)
  })

  it('a set of somebody else is not yours to change', async () => {
    const birth = { name: 'rival', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' }
    await world.birth({ ...birth, home: '/gym' })
    for (const [operation, args] of [
      ['write-matter', { content: { exercise: 'squat' } }],
      ['end-matter', {}],
    ] as const)
      expect(
        await play(world, 'rival', { verb: 'do', operation, target: 'matter:mia-squat-1-1', args }),
      ).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  })

  it('replays identically, with the sets that the coach saw', async () => {
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
