import { setTimeout as sleep } from 'node:timers/promises'
import type { Json, JsonObject } from '@treeos/core'
import { listRows, rebuildRow } from '@treeos/store'
import { type BeingRow, FOLD, type Row, type SpaceRow } from '@treeos/world'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../../faults/random.ts'
import {
  createSpace,
  doAs,
  momentOf,
  play,
  publish,
  setRole,
  until,
  untilChangesRest,
  wakesOf,
} from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })
beforeAll(async () => {
  for (const path of SPACES.slice(1)) await createSpace(world, path)
  await setRole(world, { name: 'hall-watch', canSee: ['/hall'], canDo: ['subscribe'], prompt: '' })
  await setRole(world, {
    name: 'wing-watch',
    canSee: ['/hall', { pattern: '/hall/*' }],
    canDo: ['subscribe'],
    prompt: '',
  })
})

const SPACES = ['/', '/hall', '/hall/nook', '/hallway', '/yard']
const birth = (name: string, more: JsonObject = {}) => world.birthPuppet(name, more)
const subscribe = (being: string, args: JsonObject) => doAs(world, 'subscribe', `@${being}`, args)
const setSpace = (path: string, field: string, value: Json) =>
  doAs(world, 'set-space', path, { field, value, merge: false })
const setBeing = (being: string, field: string, value: Json) =>
  doAs(world, 'set-being', `@${being}`, { field, value, merge: false })
const wokenBy = async (being: string) =>
  (await wakesOf(world, being)).filter(({ id }) => id.startsWith('change/'))
const quiet = () => untilChangesRest(world)

describe('a subscription', () => {
  it('wakes the being with the change and who caused it, wherever the being is', async () => {
    await birth('warden', { home: '/yard' })
    await birth('painter')
    await subscribe('warden', { name: 'tone', scope: '/hall', field: 'ambient.tone' })
    await setSpace('/hall', 'permissions', { do: { 'set-space': true } })
    await play(world, 'painter', {
      verb: 'do',
      operation: 'set-space',
      target: '/hall',
      args: { field: 'ambient.tone', value: 'dim' },
    })
    const [wake] = await until(async () => {
      const found = await wokenBy('warden')
      return found.length > 0 && found
    })
    expect(wake).toMatchObject({
      kind: 'event',
      caller: null,
      priority: 4,
      content: {
        event: 'changed',
        actor: '@painter',
        what: 'space.quality.ambient.tone',
        target: '/hall',
      },
    })
    expect(wake!.content).not.toHaveProperty('value') // its moment reads it, if it may see the hall
    expect(await momentOf(world, wake!.id)).toMatchObject({ outcome: 'see' })
  })

  it('is filtered by scope and by field: only what it names wakes', async () => {
    await quiet()
    const before = (await wokenBy('warden')).length
    await setSpace('/yard', 'ambient.tone', 'dim')
    await setSpace('/hall/nook', 'ambient.tone', 'dim')
    await setSpace('/hall', 'ambient.light', 3)
    await setSpace('/hall', 'ambient.tone', 'dim')
    expect((await wokenBy('warden')).length).toBe(before)
    await setSpace('/hall', 'ambient', null)
    expect((await wokenBy('warden')).length).toBe(before + 1)
  })

  it('takes the spaces in its space with `below`, and no space whose name begins alike', async () => {
    await birth('steward')
    await subscribe('steward', { name: 'all', scope: '/hall', below: true, field: 'fire' })
    await setSpace('/hallway', 'fire.lit', true)
    expect(await wokenBy('steward')).toEqual([])
    await setSpace('/hall/nook', 'fire.lit', true)
    expect(await wokenBy('steward')).toHaveLength(1)
  })

  it('is told of a being in its scope too, and of who is no longer there not', async () => {
    await birth('nurse')
    await birth('patient')
    await subscribe('nurse', { name: 'fever', scope: '/hall', field: 'health.fever' })
    await setBeing('patient', 'health.fever', 38)
    expect(await wokenBy('nurse')).toEqual([])
    await play(world, 'patient', { verb: 'do', operation: 'move', target: '/hall', args: {} })
    await setBeing('patient', 'health.fever', 39)
    await until(async () => (await wokenBy('nurse')).length === 1)
    expect((await wokenBy('nurse'))[0]).toMatchObject({
      content: { what: 'being.quality.health.fever', target: '@patient' },
    })
  })

  it.each<[string, Json, Json[], number]>([
    ['one scalar', 'red', ['green', 'red', 'red', 'blue'], 1],
    ['any of a list', ['red', 3, null], ['green', 3, '3', 'red', null], 3],
  ])('wakes only for %s it equals', async (what, equals, values, wakes) => {
    const name = `filter-${what.split(' ')[0]}`
    await birth(name)
    await subscribe(name, { name: 'is', scope: 'everywhere', field: `lamp.${name}`, equals })
    for (const value of values) {
      await quiet()
      await setSpace('/yard', `lamp.${name}`, value)
    }
    expect(await wokenBy(name)).toHaveLength(wakes)
  })

  it('takes signals everywhere, without any flow that reads them, and with its own priority', async () => {
    await birth('sailor')
    await subscribe('sailor', {
      name: 'storm',
      scope: 'everywhere',
      field: 'world.wind.force',
      equals: [9, 10],
      priority: 'human',
    })
    for (const force of [8, 9]) await publish(world, 'wind.force', force)
    expect(await wokenBy('sailor')).toMatchObject([
      { priority: 1, content: { what: 'world.wind.force', value: 9 } },
    ])
  })

  it('ends with unsubscribe', async () => {
    await quiet()
    const before = (await wokenBy('sailor')).length
    await doAs(world, 'unsubscribe', '@sailor', { name: 'storm' })
    await publish(world, 'wind.force', 10)
    expect((await wokenBy('sailor')).length).toBe(before)
    await expect(doAs(world, 'unsubscribe', '@sailor', { name: 'storm' })).rejects.toThrow('it has none')
  })

  it('waits coalesceSeconds for more changes: they are one wake, which comes though nothing more happens', async () => {
    await birth('clerk')
    await subscribe('clerk', {
      name: 'ledger',
      scope: 'everywhere',
      field: 'ledger',
      coalesceSeconds: 2,
    })
    for (let i = 0; i < 5; i++) await setSpace('/yard', 'ledger.sum', i)
    expect(await wokenBy('clerk')).toEqual([])
    await until(async () => (await wokenBy('clerk')).length > 0)
    await quiet()
    await sleep(1000)
    expect(await wokenBy('clerk')).toHaveLength(1)
    const [wake] = (await wakesOf(world, 'clerk')).filter(({ id }) => id.startsWith('change/'))
    expect(wake?.content).toMatchObject({
      changes: 5,
      summary: expect.stringMatching(/^5 changes/),
    })
  })

  it('is kept by the index: a row folded again from its reel wakes as before', async () => {
    await sql`delete from treeos.watch where being = 'steward'`.execute(world.owner)
    await quiet()
    const before = (await wokenBy('steward')).length
    await setSpace('/hall', 'fire.lit', 1)
    expect((await wokenBy('steward')).length).toBe(before)
    await rebuildRow<Row>(world.owner, 'being:steward', FOLD)
    await setSpace('/hall', 'fire.lit', 2)
    expect((await wokenBy('steward')).length).toBe(before + 1)
  })
})

describe('a subscription is refused', () => {
  it.each<[string, string, JsonObject, string | null]>([
    ['its own space', 'hall-watch', { scope: '/hall' }, null],
    ['another space', 'hall-watch', { scope: '/yard' }, '/yard'],
    [
      'the spaces below, unless they are in reach',
      'hall-watch',
      { scope: '/hall', below: true },
      'all in it',
    ],
    ['a wing that is in reach', 'wing-watch', { scope: '/hall', below: true }, null],
    ['everything', 'wing-watch', { scope: 'everywhere' }, 'everywhere'],
    ['its home by its path', 'resident', { scope: '/yard' }, null],
  ])('for what is beyond the reach of canSee: %s', async (what, role, scope, refused) => {
    const name = `r-${what.replaceAll(/[^a-z]+/g, '-').slice(0, 20)}`
    await birth(name, { role, home: '/yard' })
    const asked = subscribe(name, { name: 'x', field: 'ambient', ...scope })
    if (refused !== null) await expect(asked).rejects.toThrow(refused)
    else expect((await asked).result).toMatchObject({ name: 'x', beings: false })
  })

  it('and a role that sees only places gets nothing about beings', async () => {
    await birth('looker', { role: 'hall-watch' })
    await subscribe('looker', { name: 'any', scope: '/hall', field: 'secret' })
    await setBeing('patient', 'secret.is', 1)
    expect(await wokenBy('looker')).toEqual([])
    await setSpace('/hall', 'secret.is', 1)
    expect(await wokenBy('looker')).toHaveLength(1)
  })

  it.each<[string, JsonObject, string]>([
    ['a signal in a space', { scope: '/hall', field: 'world.wind.force' }, 'takes the scope everywhere'],
    ['no signal at all', { scope: 'everywhere', field: 'world' }, 'takes the scope everywhere'],
    ['a space that is not there', { scope: '/nowhere', field: 'a' }, '/nowhere does not exist'],
    ['an object to equal', { scope: '/hall', field: 'a', equals: { b: 1 } }, 'a scalar'],
    ['half a second', { scope: '/hall', field: 'a', coalesceSeconds: 0.5 }, 'whole seconds'],
    ['no field', { scope: '/hall' }, 'field'],
  ])('with %s', async (_, args, why) => {
    await expect(subscribe('warden', { name: 'x', ...args })).rejects.toThrow(why)
  })

  it('for a person, and as a bare quality', async () => {
    await world.birth({ name: 'ann', cognition: 'human', role: 'stage:free' })
    await expect(subscribe('ann', { name: 'x', scope: '/hall', field: 'a' })).rejects.toThrow(
      'nothing wakes a person',
    )
    await expect(
      setBeing('looker', 'subscription.forged', { scope: 'everywhere', field: 'a', priority: 'human' }),
    ).rejects.toThrow('subscription is set with subscribe')
  })
})

it('against brute force: exactly those are woken to whom a changed value belongs', async () => {
  const random = new Random(7)
  const names = Array.from({ length: 8 }, (_, i) => `s-${i}`)
  const FIELDS = ['a', 'a.b', 'a.c', 'd.e']
  const VALUES: Json[] = [1, 2, 'x', null, true]
  const subscriptions = new Map<
    string,
    { scope: string; below: boolean; field: string; equals: Json[] | null }
  >()
  for (const name of names) {
    await birth(name, { home: random.pick(SPACES) })
    const one = {
      scope: random.pick(['everywhere', ...SPACES]),
      below: random.between(0, 1) === 1,
      field: random.pick(FIELDS),
      equals: random.between(0, 2) === 0 ? [random.pick(VALUES), random.pick(VALUES)] : null,
    }
    subscriptions.set(name, one)
    const { equals, ...rest } = one
    await subscribe(name, { name: 'it', ...rest, ...(equals === null ? {} : { equals }) })
  }
  const isIn = (path: string, { scope, below }: { scope: string; below: boolean }) =>
    scope === 'everywhere' || path === scope || (below && path.startsWith(scope === '/' ? '/' : `${scope}/`))
  /** Every value a subscription is about, by what has it. */
  const valuesFor = async (name: string) => {
    const one = subscriptions.get(name)!
    const rows = [...(await listRows(world.db, 'space:')), ...(await listRows(world.db, 'being:'))]
    return new Map(
      rows.flatMap(({ key, state }): [string, Json][] => {
        const row = state as unknown as SpaceRow & BeingRow
        if (!isIn(key.startsWith('space:') ? row.path : row.space, one)) return []
        const value = one.field
          .split('.')
          .reduce<Json | undefined>((at, part) => (at as JsonObject | undefined)?.[part], row.qualities)
        return [[key, value ?? null]]
      }),
    )
  }
  let wakes = 0
  for (let step = 0; step < 40; step++) {
    await quiet()
    const known = new Set((await Promise.all(names.map(wokenBy))).flat().map(({ id }) => id))
    const before = new Map(
      await Promise.all(names.map(async (name) => [name, await valuesFor(name)] as const)),
    )
    const field = random.pick(['a.b', 'a.c', 'd.e', 'a'])
    const value = field === 'a' ? random.pick<Json>([null, { b: 1 }, { b: 2, c: 1 }]) : random.pick(VALUES)
    if (random.between(0, 2) > 0) await setSpace(random.pick(SPACES), field, value)
    else await setBeing(random.pick(names), field, value)
    const expected: string[] = []
    for (const name of names) {
      const { equals } = subscriptions.get(name)!
      const old = before.get(name)!
      const differs = [...(await valuesFor(name))].filter(
        ([key, now]) => JSON.stringify(now) !== JSON.stringify(old.get(key) ?? null),
      )
      if (differs.some(([, now]) => equals === null || equals.includes(now))) expected.push(name)
    }
    const woken = (await Promise.all(names.map(wokenBy))).flat().filter(({ id }) => !known.has(id))
    expect({ step, woken: woken.map(({ being }) => being).sort() }).toEqual({ step, woken: expected.sort() })
    wakes += expected.length
  }
  expect(wakes).toBeGreaterThan(20)
}, 120_000)

it('every moment replays', async () => {
  await quiet()
  expect(world.errors).toEqual([])
  await expectUnbroken(world)
  await expectReplays(world)
}, 60_000)
