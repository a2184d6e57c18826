/**
 * `treeos erase`: what is erased is gone everywhere, everything still verifies, and replay names what was
 * erased and by whom.
 */

import { act, erasing, summon } from '@treeos/client'
import { actWakeId, type BeingName } from '@treeos/core'
import { replay } from '@treeos/replay'
import { defineExtension, defineOperation, setQuality } from '@treeos/sdk'
import { findOutcomeOfWake } from '@treeos/store'
import { sql } from 'kysely'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { tamper } from '../../store/tampered-chains.ts'
import { doAs, expectRefused, factsOf, momentOf, play, tell } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { brokenIn } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

/** An operation that asks the outside, and keeps what it was told. */
const safe = defineExtension({
  name: 'safe',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'safe:keep',
      description: 'Keeps a text.',
      on: 'being',
      allow: ['self'],
      args: z.object({ text: z.string().describe('what is kept') }),
      effect: { timeoutSeconds: 5, attempts: 1, perform: async ({ args }) => `kept ${args.text}` },
      decide: ({ actor, effect }) => ({ facts: [setQuality(actor, 'safe.last', effect)], result: effect }),
    }),
  ],
})
const model = useModelServer()
const world = useWorld({ extensions: [stage, safe], modelServer: model })

beforeAll(async () => {
  model.script(() => ({ content: 'I listen.' }))
  await world.birth({ name: 'mind', cognition: 'llm', role: 'stage:free' })
  for (const name of ['ann', 'ben']) await world.birthPuppet(name)
})
afterEach(async () => {
  expect(await brokenIn(world)).toEqual([])
})

const erase = async (what: string, as = 'operator') =>
  act(world, as, await erasing(world.db, what, 'asked to'))
const keep = (being: BeingName, text: string) =>
  play(world, being, { verb: 'do', operation: 'safe:keep', target: null, args: { text } })

/** Tables in which a text still stands. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows: columns } = await sql<{ table: string; column: string; type: string }>`
    select table_name as table, column_name as column, data_type as type from information_schema.columns
    where table_schema = 'treeos' and data_type in ('bytea', 'text', 'jsonb')`.execute(world.owner)
  const found = new Set<string>()
  for (const { table, column, type } of columns) {
    const haystack = type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`
    const { rows } = await sql`
      select from ${sql.table(`treeos.${table}`)} where ${sql.raw(haystack)} like ${`%${text}%`} limit 1`.execute(
      world.owner,
    )
    if (rows.length > 0) found.add(table)
  }
  return [...found].sort()
}

async function replayed() {
  const { mismatches, erased = [], partly = 0 } = await replay(world, { beings: null, from: 'chain' })
  expect(mismatches).toEqual([])
  return { erased, partly }
}

/** The fact by which the operator said something. */
async function factOf(said: string) {
  const row = await world.db
    .selectFrom('inbox')
    .innerJoin('fact', 'fact.hash', 'inbox.cause')
    .select(['fact.reel', 'fact.seq', 'fact.hash'])
    .where('inbox.id', '=', said)
    .executeTakeFirstOrThrow()
  return { ...row, hash: row.hash.toString('hex') }
}

it('what was said is gone from facts, inboxes and faces; all verifies; replay names the fact and who erased it', async () => {
  const word = 'tiger-milk'
  const said = await tell(world, 'mind', `the word is ${word}`)
  await momentOf(world, said)
  const request = { target: 'mind', content: 'and now?', as: 'operator', waitSeconds: null, thread: said }
  await momentOf(world, (await summon(world, request)).correlation) // is shown what was said before
  expect(await tablesWith(word)).toEqual(['blob', 'fact', 'inbox', 'moment_decision'])

  const { reel, seq, hash } = await factOf(said)
  const { facts } = await erase(hash)
  expect(facts).toMatchObject([{ reel, kind: 'fact:erased' }])
  expect(await tablesWith(word)).toEqual(['inbox', 'moment_decision']) // what the operator decided
  const spoke = await findOutcomeOfWake(world.db, actWakeId(said))
  await erase(spoke!.moment)
  expect(await tablesWith(word)).toEqual([])

  expect(await brokenIn(world)).toEqual([])
  const { erased, partly } = await replayed()
  expect(erased).toMatchObject([
    { reel, seq, moment: null, by: 'operator', why: 'asked to' },
    { reel, seq: null, moment: spoke!.moment, by: 'operator', why: 'asked to' },
  ])
  expect(partly).toBe(3) // the one that said it, the one that heard it, the one that was shown it
  await expectRefused(world, () => erase(`${reel}#${seq}`), 'RESOURCE_CONFLICT', 'it was erased before')
  await expectRefused(world, () => erase(spoke!.moment), 'RESOURCE_CONFLICT', 'keeps no decision')
})

it('what an effect was asked and gave is erased with its moment; what a row rests on only once the row says something else', async () => {
  const word = 'cobra-7'
  const { n } = await keep('ann', word)
  const [fact] = await factsOf(world, 'ann', n)
  const { reel, seq } = fact!
  await erase(`ann/1/${n}`)
  expect(await tablesWith(word)).toEqual(['fact', 'inbox', 'moment_decision', 'projection'])
  await expectRefused(
    world,
    () => erase(`${reel}#${seq}`),
    'RESOURCE_CONFLICT',
    'the row being:ann rests on fact',
  )
  await keep('ann', 'nothing')
  await erase(`${reel}#${seq}`)
  expect(await tablesWith(`kept ${word}`)).toEqual([])
  const row = `update treeos.projection set state = replace(state, 'kept nothing', 'kept much') where key = 'being:ann'`
  await tamper(world, row)
  // rows are verified as before
  expect(await brokenIn(world)).toMatchObject([{ reel: 'being:ann', reason: 'row-mismatch' }])
  await tamper(world, row.replace('nothing', 'X').replace('much', 'nothing').replace('X', 'much'))
  const { erased } = await replayed()
  expect(erased).toContainEqual(expect.objectContaining({ moment: `ann/1/${n}` }))
  expect(erased).toContainEqual(expect.objectContaining({ reel, seq }))
})

it('control: what is gone without a tombstone is a break, and replay differs', async () => {
  const said = await tell(world, 'ben', 'hello')
  const { n } = await momentOf(world, said)
  const { reel, seq } = await factOf(said)
  const isFact = `reel = '${reel}' and seq = ${seq}`
  const isDecision = `moment = 'ben/1/${n}'`
  await tamper(
    world,
    `create table public.kept_fact as select salt, bytes from treeos.fact where ${isFact}`,
    `update treeos.fact set salt = null, bytes = null where ${isFact}`,
    `create table public.kept_decision as select * from treeos.moment_decision where ${isDecision}`,
    `delete from treeos.moment_decision where ${isDecision}`,
  )
  expect(await brokenIn(world)).toMatchObject([
    { reel, seq, reason: 'payload-missing' },
    { reel: 'inbox:ben', reason: 'wake-mismatch' }, // it has a content that nobody said
    { reel: 'moments:ben', seq: n, reason: 'decision-mismatch' },
  ])
  const { mismatches } = await replay(world, { beings: ['ben'], from: 'chain' })
  expect(mismatches.map(({ field }) => field)).toEqual(['caused by', 'decision'])
  await tamper(
    world,
    `update treeos.fact set salt = k.salt, bytes = k.bytes from public.kept_fact k where ${isFact}`,
    'insert into treeos.moment_decision select * from public.kept_decision',
  )
})

it('nobody takes a payload away without a tombstone, and one takes away nothing else', async () => {
  const { n } = await keep('ben', 'this')
  const [fact] = await factsOf(world, 'ben', n)
  const take = (set: string, { reel, seq } = fact!) =>
    sql`update treeos.fact set ${sql.raw(set)} where reel = ${reel} and seq = ${seq}`
  await expect(take('salt = null, bytes = null').execute(world.db)).rejects.toMatchObject({ code: '42501' })
  await expect(take('salt = null, bytes = null').execute(world.owner)).rejects.toMatchObject({
    code: 'TR001',
  })
  await keep('ben', 'else')
  await erase(`${fact!.reel}#${fact!.seq}`)
  const refused = [
    `bytes = '{}'`,
    `salt = '', bytes = '{}'`,
    `header = '{}'`,
    'hash = prev',
    `moment = 'ben/1/1'`,
  ]
  for (const set of refused)
    await expect(take(set).execute(world.owner)).rejects.toMatchObject({ code: 'TR001' })
  await expect(sql`delete from treeos.fact`.execute(world.owner)).rejects.toMatchObject({ code: 'TR001' })
})

it.each(['moment_decision', 'moment_effect'])('nobody deletes from %s without a tombstone', async (table) => {
  await keep('ben', 'this')
  const all = sql`delete from ${sql.table(`treeos.${table}`)}`
  await expect(all.execute(world.db)).rejects.toMatchObject({ code: '42501' })
  await expect(all.execute(world.owner)).rejects.toMatchObject({ code: 'TR001' })
})

it('only the operator erases, in person, and not what lasts', async () => {
  await doAs(world, 'set-space', '/', { field: 'permissions.do.erase', value: true }) // no rule gives it away
  const { n } = await keep('ben', 'that')
  const call = await erasing(world.db, `ben/1/${n}`, 'to hide it')
  expect(await play(world, 'ben', call)).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  await expectRefused(world, () => erase('being:ben#1'), 'RESOURCE_CONFLICT', 'lasts: it is a being:born')
  const { facts } = await erase(`ben/1/${n}`)
  const [tombstone] = facts
  await expectRefused(
    world,
    () => erase(tombstone!.hash),
    'RESOURCE_CONFLICT',
    'lasts: it is a moment:erased',
  )
  await expectRefused(world, () => erase('ben/1/999'), 'MOMENT_NOT_FOUND', 'ben/1/999')
  await expectRefused(world, () => erase('nonsense'), 'INVALID_INPUT', 'nonsense')
})
