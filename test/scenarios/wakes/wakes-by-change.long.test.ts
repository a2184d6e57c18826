/** Which beings a change wakes, by brute force, and where beings that change what they read come to an end. */
import { type BeingName, type Json, type JsonObject, LIMITS, readPath } from '@treeos/core'
import { flowPaths, sliceContext } from '@treeos/roles'
import { defineExtension } from '@treeos/sdk'
import { findOpen, listOutcomes, readRows } from '@treeos/store'
import type { BeingRow, SpaceRow } from '@treeos/world'
import { beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../../faults/random.ts'
import { live, rowOf, until } from '../../support/life.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { ROOMS, reads, useChanges } from './changes-scene.ts'

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

const { world, operate, publish, puppet, move, quiet, changeWakes } = useChanges([counting])

it('a change of what a being reads itself ends where a chain of summons would', async () => {
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
})

it('every moment replays, and nothing is broken', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
}, 120_000)
