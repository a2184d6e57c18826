import { explain, moments, plantScene } from '@treeos/client'
import { type JsonObject, SPEECH_KIND } from '@treeos/core'
import harmony, { dancing } from '@treeos/harmony'
import { describe, expect, it } from 'vitest'
import { askedFor, beingOf, createSpace, doAs, play, rowOf, until, wakesOf } from '../support/life.ts'
import { stage } from '../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../support/replaying.ts'
import { useModelServer, useWorld } from '../support/use-world.ts'

const DANCERS = ['ada', 'bo', 'cyd'] as const
const WALLS = ['4,4', '4,5', '5,4']

const model = useModelServer()
const world = useWorld({ extensions: [stage, harmony], modelServer: model })

/** Every square that each dancer has stood on, in the order of the facts of its reel. */
async function ways(): Promise<Map<string, string[]>> {
  const rows = await world.db
    .selectFrom('fact')
    .innerJoin('payload', (join) =>
      join.onRef('payload.reel', '=', 'fact.reel').onRef('payload.seq', '=', 'fact.seq'),
    )
    .select(['fact.reel', 'payload.bytes'])
    .where('fact.kind', '=', 'quality:set')
    .where('fact.reel', 'like', 'being:%')
    .orderBy('fact.reel')
    .orderBy('fact.seq')
    .execute()
  const all = new Map<string, string[]>()
  for (const { reel, bytes } of rows) {
    const { path, value } = JSON.parse(bytes.toString()) as { path: string[]; value: number[] }
    if (path.join('.') === 'harmony.position') all.set(reel, [...(all.get(reel) ?? []), value.join(',')])
  }
  return all
}
const placeOf = async (being: string) =>
  ((await rowOf(world, being)).qualities.harmony as { position?: number[] } | undefined)?.position ?? null
const dancedBy = async (being: string) =>
  (await moments(world.db, being)).filter(
    ({ primary, outcome }) => primary === 'harmony:dancer' && outcome === 'act',
  )

describe('the dance floor', () => {
  it('F35 everyone dances while the drum is alive, with no message between them', async () => {
    expect(await plantScene(world, harmony)).toBe(true)
    await until(async () => (await Promise.all(DANCERS.map(dancedBy))).every((all) => all.length >= 3), {
      seconds: 40,
      what: 'three steps of everyone',
    })
    await doAs(world, 'harmony:drum', '/floor', { alive: false })
    const last = async (being: string) => (await moments(world.db, being, 1))[0]?.primary
    await until(async () =>
      (await Promise.all(DANCERS.map(last))).every((role) => role === 'harmony:resting'),
    )
    for (const being of DANCERS) {
      const wakes = await wakesOf(world, being)
      expect(wakes.every(({ kind, caller }) => kind === 'event' && caller === null)).toBe(true)
    }
    const said = await world.db
      .selectFrom('fact')
      .select('reel')
      .where('kind', '=', SPEECH_KIND)
      .where(
        'reel',
        'in',
        [...DANCERS, 'drum'].map((name) => `being:${name}`),
      )
      .execute()
    expect(said).toEqual([])
  })

  it('each step was one square, onto none of the walls, and nobody ever stood on another', async () => {
    const all = await ways()
    expect([...all.keys()]).toEqual(DANCERS.map((name) => `being:${name}`))
    for (const squares of all.values()) {
      expect(squares.length).toBeGreaterThanOrEqual(4)
      expect(squares.filter((square) => WALLS.includes(square))).toEqual([])
      const distances = squares.slice(1).map((square, i) => {
        const [[x = 0, y = 0], [u = 0, v = 0]] = [square, squares[i] ?? ''].map((text) =>
          text.split(',').map(Number),
        ) as [number[], number[]]
        return Math.abs(x - u) + Math.abs(y - v)
      })
      expect(new Set(distances)).toEqual(new Set([1]))
    }
    const now = await Promise.all(DANCERS.map(placeOf))
    expect(new Set(now.map(String)).size).toBe(DANCERS.length)
  })

  it('F94 a dancer sees its position, the grid, neighbors, walls and legal moves, model and gate alike', async () => {
    const role = 'harmony:resting'
    const payload = {
      name: 'eve',
      cognition: 'llm',
      role,
      roleFlow: dancing as unknown as JsonObject[],
      home: '/floor',
    }
    await world.birth(payload)
    await doAs(world, 'harmony:enter', '@eve', { at: [3, 4] }) // east of it is a wall
    model.script((request) =>
      beingOf(request) === 'eve'
        ? {
            tool: {
              name: 'do',
              args: { action: 'harmony:step', target: '@eve', args: { direction: 'east' } },
            },
          }
        : undefined,
    )
    await doAs(world, 'harmony:drum', '/floor', { alive: true })
    await until(async () => (await moments(world.db, 'eve')).some(({ outcome }) => outcome === 'failure'))
    await doAs(world, 'harmony:drum', '/floor', { alive: false })
    const system = askedFor(model, 'eve')[0]?.messages[0]?.content ?? ''
    const [, view = ''] = /\[neighbors\]\n(\{.*?\n\})/s.exec(system) ?? []
    expect(JSON.parse(view)).toEqual({
      grid: { width: 10, height: 10 },
      walls: [
        [4, 4],
        [4, 5],
        [5, 4],
      ],
      position: [3, 4],
      neighbors: DANCERS.map((name) => ({ being: `@${name}`, at: [expect.any(Number), expect.any(Number)] })),
      legalMoves: expect.not.arrayContaining(['east']),
    })
    const refused = (await moments(world.db, 'eve')).find(({ outcome }) => outcome === 'failure')
    expect(refused).toMatchObject({
      reason: 'RESOURCE_CONFLICT',
      message: expect.stringMatching(/^the way east of 3,4 is not free; @eve can go /),
    })
    expect((await explain(world.db, 'eve', refused!.n)).surface.canDo).toEqual(['harmony:step'])
    expect(await placeOf('eve')).toEqual([3, 4])
  })

  it.each<[string, string, JsonObject, string]>([
    ['harmony:lay-floor', '/floor', { width: 0, height: 3 }, 'INVALID_INPUT'],
    ['harmony:lay-floor', '/floor', { width: 3, height: 3, walls: [[1]] }, 'INVALID_INPUT'],
    ['harmony:enter', '@eve', { at: [4, 4] }, 'RESOURCE_CONFLICT'],
    ['harmony:enter', '@eve', { at: [10, 0] }, 'RESOURCE_CONFLICT'],
    ['harmony:enter', '@eve', {}, 'INVALID_INPUT'],
    ['harmony:enter', '@echo', { at: [0, 0] }, 'INVALID_INPUT'],
    ['harmony:step', '@eve', { direction: 'north' }, 'FORBIDDEN'],
    ['harmony:drum', '/floor', { alive: 'yes' }, 'INVALID_INPUT'],
    ['harmony:tick', '@eve', {}, 'INVALID_TYPE'],
  ])('%s on %s with %j is refused: %s', async (action, target, args, code) => {
    await expect(doAs(world, action, target, args)).rejects.toMatchObject({ code })
  })

  it('a malformed floor or place counts as none, and no dancer is stuck', async () => {
    await createSpace(world, '/bog')
    await world.birth({
      name: 'odd',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'stage:free',
      home: '/bog',
    })
    for (const value of [true, null, { walls: 7 }]) {
      await doAs(world, 'set-space', '/bog', { field: 'harmony.floor', value })
      await expect(doAs(world, 'harmony:enter', '@odd', { at: [0, 0] })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('no floor is laid in /bog'),
      })
    }
    await doAs(world, 'harmony:lay-floor', '/bog', { width: 2, height: 2 })
    await doAs(world, 'set-being', '@odd', { field: 'harmony.position', value: 5 })
    expect(
      await play(world, 'odd', {
        verb: 'do',
        action: 'harmony:step',
        target: '@odd',
        args: { direction: 'east' },
      }),
    ).toMatchObject({ outcome: 'failure', reason: 'INVALID_INPUT' })
  })

  it('nobody takes a step for another, and nobody but the drum beats it', async () => {
    const role = 'harmony:dancer'
    await world.birth({ name: 'imp', cognition: 'scripted', script: 'stage:puppet', role, home: '/floor' })
    const does = (action: string, target: string, args: JsonObject) =>
      play(world, 'imp', { verb: 'do', action, target, args })
    expect(await does('harmony:step', '@ada', { direction: 'north' })).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await does('harmony:tick', '/floor', {})).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await does('harmony:step', '@imp', { direction: 'north' })).toMatchObject({
      reason: 'INVALID_INPUT',
      message: '@imp is not on the floor: harmony:enter',
    })
  })

  it('F49 the whole dance replays identically', async () => {
    await doAs(world, 'delete-schedule', '@drum', { name: 'beat' })
    await until(async () => (await wakesOf(world, 'drum')).every(({ closedBy }) => closedBy !== null))
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
