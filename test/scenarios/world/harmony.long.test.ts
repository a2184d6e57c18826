import { explain, moments, plantScene } from '@treeos/client'
import { type JsonObject, SPEECH_KIND } from '@treeos/core'
import harmony, { dancing } from '@treeos/harmony'
import { type NotNull, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { askedFor, beingOf, createSpace, doAs, play, until, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const DANCERS = ['ada', 'bo', 'cyd'] as const
const WALLS = ['4,4', '4,5', '5,4']

const model = useModelServer()
const world = useWorld({ extensions: [stage, harmony], modelServer: model })

/** Squares on which two dancers have stood at once, as the record was written. */
async function sharedSquares(): Promise<string[]> {
  const { rows } = await sql<{ reel: string; bytes: Buffer }>`
    select fact.reel, fact.bytes from treeos.journal, unnest(reels, seqs) as written (reel, seq)
      join treeos.fact on fact.reel = written.reel and fact.seq = written.seq
      where fact.kind = 'quality:set' and fact.reel like 'being:%' and fact.bytes is not null
      order by journal.entry`.execute(world.db)
  const places = new Map<string, string>()
  const shared: string[] = []
  for (const { reel, bytes } of rows) {
    const { path, value } = JSON.parse(bytes.toString()) as {
      path: string[]
      value: { x: number; y: number }
    }
    if (path.join('.') !== 'harmony.position') continue
    const square = `${value.x},${value.y}`
    if ([...places].some(([other, at]) => other !== reel && at === square)) shared.push(square)
    places.set(reel, square)
  }
  expect([...places.keys()].sort()).toEqual(DANCERS.map((name) => `being:${name}`))
  return shared
}

/** Every square that each dancer has stood on, in the order of the facts of its reel. */
async function ways(): Promise<Map<string, string[]>> {
  const rows = await world.db
    .selectFrom('fact')
    .select(['fact.reel', 'fact.bytes'])
    .where('fact.bytes', 'is not', null)
    .$narrowType<{ bytes: NotNull }>()
    .where('fact.kind', '=', 'quality:set')
    .where('fact.reel', 'like', 'being:%')
    .orderBy('fact.reel')
    .orderBy('fact.seq')
    .execute()
  const all = new Map<string, string[]>()
  for (const { reel, bytes } of rows) {
    const { path, value } = JSON.parse(bytes.toString()) as {
      path: string[]
      value: { x: number; y: number }
    }
    if (path.join('.') === 'harmony.position')
      all.set(reel, [...(all.get(reel) ?? []), `${value.x},${value.y}`])
  }
  return all
}
const dancedBy = async (being: string) =>
  (await moments(world.db, being)).filter(
    ({ primary, outcome }) => primary === 'harmony:dancer' && outcome === 'act',
  )

describe('the dance floor', () => {
  it('everyone dances while the drum is alive, with no message between them', async () => {
    expect(await plantScene(world, harmony)).toBe(true)
    await until(async () => (await Promise.all(DANCERS.map(dancedBy))).every((all) => all.length >= 8), {
      seconds: 60,
      what: 'eight steps of everyone',
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

  it('each dancer keeps to a square of its own, also when they have met', async () => {
    expect(await sharedSquares()).toEqual([])
  })

  it('each step was one square, straight or diagonal, and onto none of the walls', async () => {
    const all = await ways()
    expect([...all.keys()]).toEqual(DANCERS.map((name) => `being:${name}`))
    for (const squares of all.values()) {
      expect(squares.length).toBeGreaterThanOrEqual(4)
      expect(squares.filter((square) => WALLS.includes(square))).toEqual([])
      const distances = squares.slice(1).map((square, i) => {
        const [[x = 0, y = 0], [u = 0, v = 0]] = [square, squares[i] ?? ''].map((text) =>
          text.split(',').map(Number),
        ) as [number[], number[]]
        return Math.max(Math.abs(x - u), Math.abs(y - v))
      })
      expect(new Set(distances)).toEqual(new Set([1]))
    }
    // From the corners the shortest way to the others is diagonal.
    const diagonals = [...all.values()].flatMap((squares) =>
      squares.slice(1).filter((square, i) => {
        const [x, y] = square.split(',')
        const [u, v] = squares[i]!.split(',')
        return x !== u && y !== v
      }),
    )
    expect(diagonals).not.toEqual([])
  })

  it('a dancer sees position, grid, eight neighbors, walls and legal moves, and may do just these', async () => {
    const role = 'harmony:resting'
    const roleFlow = dancing as unknown as JsonObject[]
    await createSpace(world, '/drawn')
    await doAs(world, 'harmony:lay-floor', '/drawn', { width: 10, height: 10, walls: [{ x: 2, y: 3 }] })
    await world.birth({ name: 'eve', cognition: 'llm', role, roleFlow, home: '/drawn' })
    await world.birth({ name: 'follower', cognition: 'human', role, home: '/drawn' })
    await doAs(world, 'harmony:enter', '@eve', { at: { x: 3, y: 4 } })
    await doAs(world, 'harmony:enter', '@follower', { at: { x: 4, y: 3 } })
    const says = (request: Parameters<typeof beingOf>[0], direction: string) =>
      beingOf(request) === 'eve'
        ? { tool: { name: 'do', args: { operation: 'harmony:step', target: '@eve', args: { direction } } } }
        : undefined
    const danced = async (outcome: string) =>
      (await moments(world.db, 'eve')).filter(
        (one) => one.primary === 'harmony:dancer' && one.outcome === outcome,
      )
    model.script((request) => says(request, 'NW'))
    await doAs(world, 'harmony:drum', '/drawn', { alive: true })
    await until(async () => (await danced('failure')).length > 0, { what: 'a step into the wall' })
    model.script((request) => says(request, 'NE'))
    await until(async () => (await danced('act')).length > 0, { what: 'a step onto the square of another' })
    await doAs(world, 'harmony:enter', '@follower', { at: { x: 9, y: 9 } })
    await until(async () => (await ways()).get('being:eve')?.length === 2, { what: 'a diagonal step' })
    model.script((request) => says(request, 'STAY'))
    await until(async () => (await ways()).get('being:eve')?.length === 3, { what: 'staying' })
    await doAs(world, 'harmony:drum', '/drawn', { alive: false })

    const system = askedFor(model, 'eve')[0]?.messages[0]?.content ?? ''
    const [, view = ''] = /\[neighbors\]\n(\{.*?\n\})/s.exec(system) ?? []
    expect(JSON.parse(view)).toEqual({
      position: { x: 3, y: 4 },
      grid: { w: 10, h: 10 },
      neighbors: {
        N: 'empty',
        NE: '@follower',
        E: 'empty',
        SE: 'empty',
        S: 'empty',
        SW: 'empty',
        W: 'empty',
        NW: 'wall',
      },
      walls: ['NW'],
      legalMoves: ['STAY', 'N', 'NE', 'E', 'SE', 'S', 'SW', 'W'],
    })
    const [refused] = await danced('failure')
    expect(refused).toMatchObject({
      reason: 'RESOURCE_CONFLICT',
      message: 'NW of 3,4 is a wall or off the floor; legal moves: STAY, N, NE, E, SE, S, SW, W',
    })
    expect((await explain(world.db, 'eve', refused!.n)).surface.canDo).toEqual(['harmony:step'])
    expect((await ways()).get('being:eve')?.slice(0, 3)).toEqual(['3,4', '4,3', '4,3'])
    const stays = await world.db.selectFrom('fact').select('kind').where('reel', '=', 'being:eve').execute()
    expect(stays.some(({ kind }) => kind === 'harmony:stayed')).toBe(true)
  })

  it.each<[string, string, JsonObject, string]>([
    ['harmony:lay-floor', '/floor', { width: 0, height: 3 }, 'INVALID_INPUT'],
    ['harmony:lay-floor', '/floor', { width: 3, height: 3, walls: [[1, 2]] }, 'INVALID_INPUT'],
    ['harmony:enter', '@eve', { at: { x: 2, y: 3 } }, 'RESOURCE_CONFLICT'],
    ['harmony:enter', '@eve', { at: { x: 10, y: 0 } }, 'RESOURCE_CONFLICT'],
    ['harmony:enter', '@eve', { at: { x: 9, y: 9 } }, 'RESOURCE_CONFLICT'],
    ['harmony:enter', '@eve', {}, 'INVALID_INPUT'],
    ['harmony:enter', '@eve', { at: [3, 3] }, 'INVALID_INPUT'],
    ['harmony:enter', '@echo', { at: { x: 0, y: 0 } }, 'INVALID_INPUT'],
    ['harmony:step', '@eve', { direction: 'N' }, 'FORBIDDEN'],
    ['harmony:drum', '/floor', { alive: 'yes' }, 'INVALID_INPUT'],
    ['harmony:tick', '@eve', {}, 'INVALID_TYPE'],
  ])('%s on %s with %j is refused: %s', async (action, target, args, code) => {
    await expect(doAs(world, action, target, args)).rejects.toMatchObject({ code })
  })

  it('a malformed floor or place counts as none, and no dancer is stuck', async () => {
    await createSpace(world, '/bog')
    await world.birthPuppet('odd', { home: '/bog' })
    for (const value of [true, null, { walls: 7 }]) {
      await doAs(world, 'set-space', '/bog', { field: 'harmony.floor', value })
      await expect(doAs(world, 'harmony:enter', '@odd', { at: { x: 0, y: 0 } })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('no floor is laid in /bog'),
      })
    }
    await doAs(world, 'harmony:lay-floor', '/bog', { width: 2, height: 2 })
    await doAs(world, 'set-being', '@odd', { field: 'harmony.position', value: 5 })
    expect(
      await play(world, 'odd', {
        verb: 'do',
        operation: 'harmony:step',
        target: '@odd',
        args: { direction: 'E' },
      }),
    ).toMatchObject({ outcome: 'failure', reason: 'INVALID_INPUT' })
  })

  it('nobody takes a step for another, and nobody but the drum beats it', async () => {
    const role = 'harmony:dancer'
    await world.birth({ name: 'imp', cognition: 'scripted', script: 'stage:puppet', role, home: '/floor' })
    const does = (operation: string, target: string, args: JsonObject) =>
      play(world, 'imp', { verb: 'do', operation, target, args })
    expect(await does('harmony:step', '@ada', { direction: 'N' })).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await does('harmony:tick', '/floor', {})).toMatchObject({ reason: 'FORBIDDEN' })
    expect(await does('harmony:step', '@imp', { direction: 'N' })).toMatchObject({
      reason: 'INVALID_INPUT',
      message: '@imp is not on the floor: harmony:enter',
    })
  })

  it('the whole dance replays identically', async () => {
    await doAs(world, 'set-being', '@drum', { field: 'wake.idle', value: null })
    await until(async () => (await wakesOf(world, 'drum')).every(({ closedBy }) => closedBy !== null))
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
