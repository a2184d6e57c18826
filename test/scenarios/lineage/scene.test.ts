import { beings, budgetsOfChildren, moments, plantScene } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import lineage from '@treeos/lineage'
import { expect, it } from 'vitest'
import { rowOf, until, wakesOf } from '../../support/life.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [lineage] })

const profileOf = async (name: string) => (await rowOf(world, name)).qualities.lineage as JsonObject
const saidBy = async (name: string) =>
  (await wakesOf(world, 'keeper')).flatMap(({ kind, caller, content }) =>
    kind === 'summon' && caller?.name === name ? [content] : [],
  )

it('a parent spawns a writer, an analyst and a guardian', async () => {
  expect(await plantScene(world, lineage)).toBe(true)
  const children = await until(async () => {
    const found = (await beings(world.db)).filter(({ parent }) => parent === '@keeper')
    return found.length === 3 && found
  })
  const roles = children.map(async ({ being }) => [being, (await profileOf(being)).role])
  expect(await Promise.all(roles)).toEqual([
    ['scout', 'analyst'],
    ['scribe', 'writer'],
    ['watch', 'guardian'],
  ])
})

it('the analyst reports and sleeps', async () => {
  await until(async () => (await saidBy('scout')).length > 0)
  expect(await saidBy('scout')).toEqual(['rising, slowly'])
  expect(await profileOf('scout')).toMatchObject({ asleep: true })
  expect((await rowOf(world, 'scout')).qualities.schedule).toEqual({})
})

it('the guardian notices an anomaly, is ended and returns', async () => {
  await until(async () => (await saidBy('watch')).length > 1)
  expect(await saidBy('watch')).toEqual([
    'anomaly: the gauge of /nursery is at 93, above 80',
    'back on watch',
  ])
  const steps = await world.db
    .selectFrom('fact')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('reel', '=', 'being:watch')
    .where('kind', '=', 'lineage:restarted')
    .executeTakeFirstOrThrow()
  expect(Number(steps.count)).toBe(1)
  expect(await profileOf('watch')).toMatchObject({ state: 'healthy', asleep: false })
})

it('the cost of each is shown, the parent first', async () => {
  const shown = await budgetsOfChildren(world, 'keeper')
  expect(shown.map(({ stance }) => stance)).toEqual(['@keeper', '@scout', '@scribe', '@watch'])
  for (const { used } of shown) {
    expect(used.moments).toBeGreaterThan(0)
    expect(used).toMatchObject({ tokens: 0, money: 0 }) // their minds are scripts
  }
})

it('each moment of the scene ended as it should, and all replay identically', async () => {
  for (const being of ['keeper', 'scout', 'scribe', 'watch'])
    expect((await moments(world.db, being)).filter(({ outcome }) => outcome === 'failure')).toEqual([])
  await expectUnbroken(world)
  await expectReplays(world)
})
