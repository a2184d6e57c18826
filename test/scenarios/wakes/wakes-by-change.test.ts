import { canonicalJson } from '@treeos/core'
import { findOpen, listOutcomes } from '@treeos/store'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { askedFor, beingOf, live, momentOf, until, wakesOf } from '../../support/life.ts'
import { brokenIn, expectReplays } from '../../support/replays.ts'
import { reads, useChanges } from './changes-scene.ts'

const { world, model, operate, publish, puppet, move, quiet, changeWakes } = useChanges()

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

it('without the index of read paths the same change wakes nobody, so the tests of what wakes would fail', async () => {
  await puppet('deaf', { roleFlow: reads('world.weather.a') })
  await sql`delete from treeos.watch where being = 'deaf'`.execute(world.owner)
  await publish('weather', 'a', 'something new')
  await quiet()
  expect((await changeWakes()).filter(({ being }) => being === 'deaf')).toEqual([])
})

it('every moment replays, and the watch that was taken away is missed', async () => {
  expect(await brokenIn(world)).toMatchObject([{ key: 'being:deaf', reason: 'watch-mismatch' }])
  await expectReplays(world)
}, 120_000)
