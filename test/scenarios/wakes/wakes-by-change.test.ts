import { act } from '@treeos/client'
import { type BeingName, canonicalJson, type Json, type JsonObject, LIMITS, readPath } from '@treeos/core'
import { flowPaths, sliceContext } from '@treeos/roles'
import { defineExtension } from '@treeos/sdk'
import { findOpen, listOutcomes, readRows } from '@treeos/store'
import type { BeingRow, SpaceRow } from '@treeos/world'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../../faults/random.ts'
import {
  askedFor,
  beingOf,
  live,
  momentOf,
  play,
  rowOf,
  until,
  untilChangesRest,
  wakesOf,
} from '../../support/life.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { brokenIn, expectReplays } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

/** Counts on from what it is woken with, in the space it is in. */
const counting = defineExtension({
  name: 'counting',
  version: '1.0.0',
  scripts: {
    'counting:on': ({ wake }) => ({
      kind: 'call',
      call: {
        verb: 'do',
        operation: 'set-space',
        target: '/cell',
        args: { field: 'count.n', value: Number(readPath(wake.content, ['value'])) + 1 },
      },
      content: null,
    }),
  },
})

const model = useModelServer()
const world = useWorld({ extensions: [stage, counting], modelServer: model })
beforeAll(async () => {
  for (const path of [...ROOMS, '/cell']) await operate('create-space', '/', { path })
})
const ROOMS = ['/hall', '/yard']
const operate = (operation: string, target: string | null, args: JsonObject) =>
  act(world, 'operator', { verb: 'do', operation, target, args })
const publish = (namespace: string, key: string, value: Json) =>
  operate('set-world-signal', null, { namespace, key, value })
const puppet = (name: string, more: JsonObject = {}) => world.birthPuppet(name, more)
const move = (name: string, to: string) =>
  play(world, name, { verb: 'do', operation: 'move', target: to, args: {} })
const reads = (...paths: string[]): JsonObject[] =>
  paths.map((path) => ({ stack: true, when: { [path]: { present: true } }, role: 'stage:mode-1' }))

/** Wakes by change of every being, by the moment that caused them. */
async function changeWakes(): Promise<{ id: string; being: string; closed: boolean }[]> {
  const { rows } = await sql<{ id: string; being: string; closed: boolean }>`
    select id, being, closed_by is not null as closed from treeos.inbox where id like 'change/%'`.execute(
    world.owner,
  )
  return rows
}
const quiet = () => untilChangesRest(world)

describe('a change of what a flow reads', () => {
  it('wakes the being, which is told what changed and who did it', async () => {
    await puppet('sailor', { roleFlow: reads('world.wind.force') })
    await publish('wind', 'force', 7)
    const [wake] = await until(async () => {
      const wakes = (await wakesOf(world, 'sailor')).filter(({ kind }) => kind === 'event')
      return wakes.length > 0 && wakes
    })
    expect(wake).toMatchObject({
      caller: null,
      content: { event: 'changed', actor: '@operator', what: 'world.wind.force', value: 7 },
    })
    expect(await momentOf(world, wake!.id)).toMatchObject({
      outcome: 'see',
      verb: 'summon',
      stacked: ['stage:mode-1'],
    })
  })

  it('wakes nobody when the same value is published again, or what nobody reads', async () => {
    await quiet()
    const before = (await changeWakes()).length
    await publish('wind', 'force', 7)
    await publish('wind', 'direction', 'north')
    await publish('rain', 'force', 7)
    expect((await changeWakes()).length).toBe(before)
  })

  it('wakes no person: nobody decides for a person but the person', async () => {
    await world.birth({
      name: 'captain',
      cognition: 'human',
      role: 'stage:free',
      roleFlow: reads('world.wind.force'),
    })
    await publish('wind', 'force', 8)
    expect(await wakesOf(world, 'captain')).toEqual([])
  })

  it('coalesces: while a wake by change waits, later changes add none, the moment sees them all, and is told how many', async () => {
    await world.birth({
      name: 'watcher',
      cognition: 'llm',
      role: 'resident',
      roleFlow: reads('world.tide.level'),
    })
    let asked = 0
    model.script(async (request) => {
      if (beingOf(request) !== 'watcher') return undefined
      asked += 1
      if (asked === 1) await until(async () => published)
      return undefined
    })
    let published = false
    await publish('tide', 'level', 1)
    await until(() => asked === 1)
    for (let level = 2; level <= 9; level++) await publish('tide', 'level', level)
    await until(async () => {
      const { rows } = await sql`select from treeos.held_change union all select from treeos.delayed`.execute(
        world.owner,
      )
      return rows.length === 0
    })
    published = true
    await until(async () => (await listOutcomes(world.db, 'watcher')).length === 2)
    const [, second] = await listOutcomes(world.db, 'watcher')
    expect((await findOpen(world.db, second!.moment))?.record.context).toMatchObject({
      world: { tide: { level: 9 } },
    })
    const [one, many, ...more] = await wakesOf(world, 'watcher')
    expect(more).toEqual([])
    expect(one?.content).toEqual({ event: 'changed', actor: '@operator', what: 'world.tide.level', value: 1 })
    expect(many?.content).toEqual({
      event: 'changed',
      actor: '@operator',
      what: 'world.tide.level',
      value: 2,
      changes: 8,
      summary:
        '8 changes woke the being together. Only the first is named here: what holds now is in the world.',
    })
    expect(askedFor(model, 'watcher').at(-1)?.messages[1]?.content).toBe(
      `@operator changed the world signal tide.level to 2, the first of 8 changes.\n${canonicalJson(many?.content)}`,
    )
    model.reset()
  })

  it('ends where a chain of summons would, when a being changes what it reads itself', async () => {
    await operate('set-space', '/cell', { field: 'permissions', value: { do: { 'set-space': true } } })
    await world.birth({
      name: 'counter',
      cognition: 'scripted',
      script: 'counting:on',
      role: 'stage:free',
      home: '/cell',
      roleFlow: reads('space.quality.count.n'),
    })
    await operate('set-space', '/cell', { field: 'count.n', value: 0 })
    await until(async () => (await listOutcomes(world.db, 'counter')).length >= LIMITS.hopsMax, {
      seconds: 60,
    })
    await quiet()
    const [row] = await readRows(world.db, world.reality.id, ['space:/cell'])
    expect(row?.state).toMatchObject({ qualities: { count: { n: LIMITS.hopsMax } } })
    expect(await listOutcomes(world.db, 'counter')).toHaveLength(LIMITS.hopsMax)
  }, 90_000)
})

it('a published signal changes the next moment of every being whose flow reads it, and is one fact', async () => {
  const flow = [{ stack: true, when: { 'world.festival.on': true }, role: 'stage:mode-2' }]
  for (const name of ['dancer-a', 'dancer-b']) await puppet(name, { roleFlow: flow })
  const { facts } = await publish('festival', 'on', true)
  expect(facts).toHaveLength(1)
  for (const name of ['dancer-a', 'dancer-b'])
    expect((await live(world, name, 'now?')).stacked).toEqual(['stage:mode-2'])
  await publish('festival', 'on', false)
  for (const name of ['dancer-a', 'dancer-b']) expect((await live(world, name, 'now?')).stacked).toEqual([])
})

it('a quality of a space stacks on whoever is inside, and wakes them; moving out unstacks it', async () => {
  const flow = [{ stack: true, when: { 'space.quality.ambient.tone': 'quiet' }, role: 'stage:mode-3' }]
  await puppet('reader', { roleFlow: flow })
  await puppet('passer-by', { roleFlow: flow })
  await move('reader', '/hall')
  await operate('set-space', '/hall', { field: 'ambient.tone', value: 'quiet' })
  await quiet()
  const woken = (await changeWakes()).filter(({ being }) => being === 'reader' || being === 'passer-by')
  expect(woken.map(({ being }) => being)).toEqual(['reader'])
  expect((await live(world, 'reader', 'hush?')).stacked).toEqual(['stage:mode-3'])
  await move('reader', '/yard')
  expect((await live(world, 'reader', 'and now?')).stacked).toEqual([])
})

describe('precision and recall', () => {
  const SIGNALS = ['weather', 'harmony']
  const KEYS = ['a', 'b', 'c.d', 'c']
  const VALUES: Json[] = [1, 2, 'x', null, { d: 1 }, { d: 2 }, true]
  const PATHS = [
    ...SIGNALS.flatMap((namespace) => [
      `world.${namespace}`,
      ...KEYS.map((key) => `world.${namespace}.${key}`),
    ]),
    ...['ambient.tone', 'ambient', 'light.level'].map((path) => `space.quality.${path}`),
    'time.hour',
    'me.quality.mood.is',
  ]
  const names = Array.from({ length: 10 }, (_, i) => `p-${i}`)
  const flowOf = (random: Random) =>
    reads(...Array.from({ length: random.between(0, 4) }, () => random.pick(PATHS)))
  const beingRow = (name: BeingName) => rowOf(world, name) as Promise<BeingRow>

  beforeAll(async () => {
    const random = new Random(5)
    for (const name of names)
      await puppet(name, { roleFlow: flowOf(random), home: random.pick(['/', ...ROOMS]) })
  })

  /** The values that a being's flow reads and others may change, straight from the rows. */
  async function seenBy(name: BeingName): Promise<JsonObject> {
    const me = await beingRow(name)
    const context = await contextNow(me)
    const paths = flowPaths(me.qualities.roleFlow)
    return Object.fromEntries(
      paths
        .filter((path) => path.startsWith('world.') || path.startsWith('space.quality'))
        .map((path) => [
          path,
          path.split('.').reduce<Json | undefined>((at, key) => (at as JsonObject)?.[key], context) ?? null,
        ]),
    )
  }

  it('against brute force, one change after the other: exactly those whose reading differs are woken', async () => {
    const random = new Random(11)
    let changes = 0
    for (let step = 0; step < (IS_NIGHT ? 40 : 15); step++) {
      await quiet()
      const known = new Set((await changeWakes()).map(({ id }) => id))
      const before = new Map(
        await Promise.all(names.map(async (name) => [name, await seenBy(name)] as const)),
      )
      const places = new Map(
        await Promise.all(names.map(async (name) => [name, (await beingRow(name)).space] as const)),
      )
      const flows = new Map(
        await Promise.all(
          names.map(async (name) => [name, JSON.stringify((await beingRow(name)).qualities)] as const),
        ),
      )
      const dice = random.between(1, 20)
      if (dice <= 11) await publish(random.pick(SIGNALS), random.pick(KEYS), random.pick(VALUES))
      else if (dice <= 15)
        await operate('set-space', random.pick(['/', ...ROOMS]), {
          field: random.pick(['ambient.tone', 'ambient', 'light.level']),
          value: random.pick([1, { tone: 2 }, null]),
        })
      else if (dice <= 18) await operate('set-roleflow', `@${random.pick(names)}`, { flow: flowOf(random) })
      else {
        const name = random.pick(names)
        const to = random.pick(['/', ...ROOMS].filter((path) => path !== places.get(name)))
        await move(name, to)
      }
      const expected: string[] = []
      for (const name of names) {
        const me = await beingRow(name)
        // Its own move or a new flow is not a change of what it reads.
        if (me.space !== places.get(name) || JSON.stringify(me.qualities) !== flows.get(name)) continue
        if (JSON.stringify(await seenBy(name)) !== JSON.stringify(before.get(name))) expected.push(name)
      }
      const woken = (await changeWakes())
        .filter(({ id, being }) => !known.has(id) && names.includes(being))
        .map(({ being }) => being)
      expect({ step, woken: woken.sort() }).toEqual({ step, woken: expected.sort() })
      changes += expected.length
    }
    expect(changes).toBeGreaterThan(IS_NIGHT ? 25 : 5)
  }, 120_000)

  it('while flows, places and values change at once: every idle being has seen the world as it is', async () => {
    const random = new Random(23)
    const until_ = Date.now() + 6000
    const many = async (work: () => Promise<unknown>) => {
      for (; Date.now() < until_; ) await work()
    }
    await Promise.all([
      many(() => publish(random.pick(SIGNALS), random.pick(KEYS), random.pick(VALUES))),
      many(() =>
        operate('set-space', random.pick(['/', ...ROOMS]), {
          field: 'ambient.tone',
          value: random.between(1, 3),
        }),
      ),
      many(async () => {
        const name = random.pick(names.slice(0, 5))
        await operate('set-roleflow', `@${name}`, { flow: flowOf(random) })
        await live(world, name, 'look') // an edit wakes nobody, so it looks once
      }),
      many(async () => {
        const name = random.pick(names.slice(5))
        await move(name, random.pick(['/', ...ROOMS])).catch(() => undefined)
        await live(world, name, 'look')
      }),
    ])
    await quiet()
    for (const name of names) {
      const last = (await listOutcomes(world.db, name)).at(-1)
      if (last === undefined) continue
      const context = (await findOpen(world.db, last.moment))?.record.context
      const me = await beingRow(name)
      const paths = flowPaths(me.qualities.roleFlow).filter(
        (path) => path.startsWith('world.') || path.startsWith('space.quality'),
      )
      const now = await contextNow(me)
      expect({ name, ...sliceContext(context as JsonObject, paths) }).toEqual({
        name,
        ...sliceContext(now, paths),
      })
    }
  }, 120_000)

  async function contextNow(me: BeingRow): Promise<JsonObject> {
    const [space] = await readRows(world.db, world.reality.id, [`space:${me.space}`])
    const rows = await readRows(
      world.db,
      world.reality.id,
      SIGNALS.map((namespace) => `world:${namespace}`),
    )
    return {
      space: { quality: (space?.state as SpaceRow | undefined)?.qualities ?? {} },
      world: Object.fromEntries(
        rows.flatMap(({ state }) => {
          const row = state as unknown as { namespace: string; values: JsonObject } | null
          return row === null ? [] : [[row.namespace, row.values]]
        }),
      ),
    }
  }

  it('without the index of read paths the same change wakes nobody, so the tests above would fail', async () => {
    await puppet('deaf', { roleFlow: reads('world.weather.a') })
    await sql`delete from treeos.watch where being = 'deaf'`.execute(world.owner)
    await publish('weather', 'a', 'something new')
    await quiet()
    expect((await changeWakes()).filter(({ being }) => being === 'deaf')).toEqual([])
  })
})

it('every moment replays, and the watch that was taken away is missed', async () => {
  expect(await brokenIn(world)).toMatchObject([{ key: 'being:deaf', reason: 'watch-mismatch' }])
  await expectReplays(world)
}, 120_000)
