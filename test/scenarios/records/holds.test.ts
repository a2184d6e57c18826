/** Legal holds: what is under one cannot be erased. And all that is kept of one person. */

import { isDeepStrictEqual } from 'node:util'
import { act, erasing, holds, periodReport, personData, summon } from '@treeos/client'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { doAs, expectRefused, momentOf, play, until } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })
const WHY = 'letter of 3 May'

beforeAll(async () => {
  for (const name of ['desk', 'clerk']) await world.birthPuppet(name)
  await world.birth({ name: 'ann', cognition: 'human', role: 'stage:free' })
  await world.birth({ name: 'bob', cognition: 'human', role: 'stage:free' })
})

const erase = async (what: string) => act(world, 'operator', await erasing(world.db, what, 'asked to'))

/** A person asks @desk, which asks @clerk for it. @returns moments of both */
async function ask(person: string) {
  const call = { verb: 'summon', target: '@clerk', content: { call: { verb: 'see', address: '/' } } }
  const { correlation: asked } = await summon(
    { ...world, person },
    { target: 'desk', content: { call }, as: person, waitSeconds: null },
  )
  const desk = await momentOf(world, asked)
  const { rows } = await sql<{ id: string }>`
    select id from treeos.inbox where being = 'clerk' and root = ${asked}`.execute(world.db)
  const clerk = await momentOf(world, String(rows[0]?.id))
  return { asked, desk: `desk/1/${desk.n}`, clerk: `clerk/1/${clerk.n}` }
}

/** What person data says of one item. */
async function itemOf(person: string, id: string) {
  const { items } = await personData(world.db, { person, skip: 0, limit: 1000, contents: false })
  return items.find((item) => item.id === id)
}

it('a hold on a being keeps its reel, and what others did for it, until it is lifted', async () => {
  const ofAnn = await ask('ann')
  const ofBob = await ask('bob')
  await doAs(world, 'set-hold', '@ann', { name: 'case-4', why: WHY })
  expect(await holds(world.db)).toMatchObject([{ on: '@ann', name: 'case-4', why: WHY, by: '@operator' }])

  for (const what of [ofAnn.desk, ofAnn.clerk])
    await expectRefused(world, () => erase(what), 'RESOURCE_CONFLICT', 'under the hold "case-4" on @ann')
  const said = (await itemsOf('ann')).filter(({ what }) => what === 'being:summoned').map(({ id }) => id)
  expect(said.length).toBeGreaterThan(1) // her words, and those of @desk to @clerk for her
  for (const what of said)
    await expectRefused(world, () => erase(what), 'RESOURCE_CONFLICT', /under the hold/)
  await erase(ofBob.clerk) // the control: what concerns another
  expect(await itemOf('bob', ofBob.clerk)).toMatchObject({ state: 'gone' })

  await doAs(world, 'lift-hold', '@ann', { name: 'case-4', why: 'settled' })
  expect(await holds(world.db)).toEqual([])
  await erase(ofAnn.clerk)
  for (const kind of ['hold:set', 'hold:lifted']) {
    const fact = (await itemsOf('ann')).find(({ what }) => what === kind)
    expect(fact?.state).toBe('lasting')
    await expectRefused(world, () => erase(String(fact?.id)), 'RESOURCE_CONFLICT', `it is a ${kind}`)
  }
})

const itemsOf = async (person: string) =>
  (await personData(world.db, { person, skip: 0, limit: 1000, contents: true })).items

it('a hold on / keeps everything', async () => {
  const { desk } = await ask('bob')
  await doAs(world, 'set-hold', '/', { name: 'audit', why: WHY })
  await expectRefused(world, () => erase(desk), 'RESOURCE_CONFLICT', '/ is under the hold "audit"')
  await doAs(world, 'lift-hold', '/', { name: 'audit', why: 'over' })
  await erase(desk)
})

it('only the operator sets and lifts one, once, in its own words', async () => {
  const set = { name: 'case-9', why: WHY }
  await expectRefused(
    world,
    () => doAs(world, 'lift-hold', '@bob', set),
    'RESOURCE_CONFLICT',
    'not under a hold',
  )
  await doAs(world, 'set-hold', '@bob', set)
  await expectRefused(world, () => doAs(world, 'set-hold', '@bob', set), 'RESOURCE_CONFLICT', 'already')
  const call = { verb: 'do', operation: 'lift-hold', target: '@bob', args: set } as const
  await expectRefused(world, () => act({ ...world, person: 'ann' }, 'ann', call), 'FORBIDDEN', 'lift-hold')
  const outside = act(world, 'operator', call, undefined, undefined, true)
  await expect(outside).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('own words'),
  })
  expect(await play(world, 'desk', call)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  expect(await holds(world.db)).toHaveLength(1)
  await doAs(world, 'lift-hold', '@bob', { ...set, why: 'settled' })
})

it('SQL itself erases nothing under a hold, and takes a hold from the operator alone', async () => {
  const { desk } = await ask('ann')
  await doAs(world, 'set-hold', '@ann', { name: 'case-5', why: WHY })
  const stolen = sql`select treeos.erase_moment('being:desk', ${desk})`.execute(world.owner)
  await expect(stolen).rejects.toThrow(`moment ${desk} is under the hold "case-5" on @ann`)
  await doAs(world, 'lift-hold', '@ann', { name: 'case-5', why: 'settled' })
})

it('what is kept of a person comes page by page, with what each says', async () => {
  const { asked } = await ask('ann')
  let pages: Awaited<ReturnType<typeof itemsOf>>[number][] = []
  const read = async () => {
    pages = []
    for (let skip: number | null = 0; skip !== null; ) {
      const page = await personData(world.db, { person: 'ann', skip, limit: 3, contents: true })
      expect(page.items.length).toBeLessThanOrEqual(3)
      pages.push(...page.items)
      skip = page.next
    }
    return pages
  }
  // What she is answered may come between the two.
  await until(async () => isDeepStrictEqual(await read(), await itemsOf('ann')))
  expect(new Set(pages.map(({ by }) => by))).toEqual(new Set(['@ann', '@desk', '@clerk', '@operator']))
  expect(JSON.stringify(pages)).toContain(asked)
  expect((await itemsOf('bob')).some(({ content }) => JSON.stringify(content).includes(asked))).toBe(false)
})

it('a report of a period has its acts with what permitted them, refusals, changes of authority, erasures and holds', async () => {
  const since = Date.now()
  await doAs(world, 'set-hold', '@desk', { name: 'q', why: WHY })
  await doAs(world, 'lift-hold', '@desk', { name: 'q', why: 'over' })
  await play(world, 'desk', {
    verb: 'do',
    operation: 'erase',
    target: '@ann',
    args: { moment: 'ann/1/1', why: 'x' },
  })
  const { desk } = await ask('bob')
  await erase(desk)
  await doAs(world, 'set-space', '/', { field: 'permissions.see', value: { '*': { requires: ['anyone'] } } })
  await doAs(world, 'set-space', '/', { field: 'note.text', value: 'no right follows from this' })
  const report = await periodReport(world, { since, until: Date.now() + 1 })
  expect(report.holds.map(({ kind }) => kind)).toEqual(['hold:set', 'hold:lifted'])
  expect(report.erasures).toMatchObject([{ on: '@desk', by: '@operator', says: { moment: desk } }])
  expect(report.refusals).toMatchObject([{ being: '@desk', outcome: 'failure', did: { operation: 'erase' } }])
  expect(report.authority.map(({ says }) => says)).toMatchObject([{ path: ['permissions', 'see'] }])
  const erased = report.acts.find(({ did }) => did?.operation === 'erase')
  expect(erased).toMatchObject({
    being: '@operator',
    outcome: 'act',
    by: expect.arrayContaining([expect.any(String)]),
  })
  expect((await periodReport(world, { since: 0, until: since })).holds.length).toBeGreaterThan(4)
})

it('all of it replays and verifies', async () => {
  await expectReplays(world)
  await expectUnbroken(world)
})
