/** Who is named in a receipt: only beings that its moment touches. */
import { canonicalJson, readPath } from '@treeos/core'
import { readBases } from '@treeos/store'
import { beforeAll, expect, it } from 'vitest'
import { createSpace, doAs, play } from '../support/life.ts'
import type { Statement } from './receipt-forgers.ts'
import { statementIn, useReceipts } from './receipt-scene.ts'

const scene = useReceipts({ makerFacts: 60 })
const { world, told, issue, check } = scene
let all: readonly string[]

beforeAll(async () => {
  await createSpace(world, '/square')
  for (const name of ['clerk', 'bound', 'heir'])
    await doAs(world, 'add-contributor', '/square', { being: `@${name}` })
  await play(world, 'bound', { verb: 'do', operation: 'move', target: '/square', args: {} })
  await play(world, 'heir', { verb: 'do', operation: 'move', target: '/square', args: {} })
  await scene.plays('a look around', 'heir', { verb: 'see', address: '/square' })
  const onlooker = { cognition: 'scripted', script: 'stage:puppet', role: 'diary:onlooker' } as const
  await world.birth({ ...onlooker, name: 'onlooker', home: '/square' })
  await scene.plays('a look of who sees others', 'onlooker', { verb: 'see', address: '/den' })
  await scene.relog()
  const rows = await world.db.selectFrom('projection').select('key').where('key', 'like', 'being:%').execute()
  all = rows.map(({ key }) => key.slice('being:'.length))
})

/** Names of beings that stand in a value as words. */
const namesIn = (value: unknown): string[] =>
  all.filter((name) => new RegExp(`(?<![a-z0-9-])${name}(?![a-z0-9-])`).test(JSON.stringify(value)))

/**
 * Those that a moment touches: its being, the makers, who spoke to it, whom its call, its roles, the bounds
 * of these and rules name, and who set what its flow reads of its place.
 */
function touchedBy({ predicate }: Statement, makers: readonly string[]): ReadonlySet<string> {
  const { moment, specs, surface, target, reels } = predicate
  const links = Object.values(reels).flatMap((all) => all.filter((link) => 'length' in link))
  const born = Object.values(reels).map(([first]) => (Array.isArray(first) ? first[2] : null))
  const read = links.filter(([, , payload]) => /^court,disturbance/.test(String(readPath(payload, ['path']))))
  const rules = links.filter(([, , payload]) => String(readPath(payload, ['path'])).startsWith('permissions'))
  const named = namesIn([
    ...[moment.decision, moment.open.caller ?? null, specs, surface, target, born, read],
    rules.map(([, , payload]) => payload ?? null),
  ])
  return new Set([String(moment.record.being), ...makers, ...named])
}

it('nobody is named that the moment does not touch: in heads, in headers of facts, in what it noted', async () => {
  expect(all.length).toBeGreaterThan(7)
  const found: Record<string, string[]> = {}
  for (const [name, moment] of told) {
    const { envelope, derived } = await issue(moment)
    expect({ name, broken: (await check(envelope)).broken }).toEqual({ name, broken: [] })
    const statement = statementIn(envelope)
    const touched = touchedBy(statement as unknown as Statement, derived.lineage)
    const others = namesIn(statement).filter((one) => !touched.has(one))
    if (others.length > 0) found[name] = others
  }
  expect(found).toEqual({})
})

it('others are named by what the moment read, and by headers of facts that the receipt leaves out (the control)', async () => {
  const moment = told.get('a look of who sees others')!
  const { envelope, derived } = await issue(moment)
  const statement = statementIn(envelope) as unknown as Statement
  const touched = touchedBy(statement, derived.lineage)
  const others = (value: unknown) => namesIn(value).filter((one) => !touched.has(one))
  const { heads, noted } = (await readBases(world.db, [moment])).get(moment)!
  expect(others(heads)).toEqual(expect.arrayContaining(['bound', 'heir']))
  expect(others(noted)).toEqual(expect.arrayContaining(['bound', 'heir']))
  const whole = await issue(told.get('a look around')!, scene.log, Number.POSITIVE_INFINITY)
  expect(await check(whole.envelope)).toMatchObject({ ok: true })
  expect(namesIn(statementIn(whole.envelope))).toContain('bound')
  expect(namesIn(statementIn((await issue(told.get('a look around')!)).envelope))).not.toContain('bound')
})

it('a head that is hidden is one salted hash: no name fits it, and the reel that a verdict needs has to be shown', async () => {
  const { envelope } = await issue(told.get('a look of who sees others')!)
  const { predicate } = statementIn(envelope) as unknown as Statement
  const hidden = predicate.moment.basis.flatMap((member) => (typeof member === 'string' ? [member] : []))
  expect(hidden.length).toBeGreaterThan(1)
  expect(new Set(hidden).size).toBe(hidden.length)
  await scene.plays('another of the same', 'onlooker', { verb: 'see', address: '/den' })
  await scene.relog()
  const again = statementIn((await issue(told.get('another of the same')!)).envelope) as unknown as Statement
  expect(again.predicate.moment.basis).toHaveLength(predicate.moment.basis.length)
  const common = again.predicate.moment.basis.filter((member) => hidden.some((one) => one === member))
  expect(common).toEqual([]) // the same reels, and nobody can tell
  expect(canonicalJson([predicate.moment.basis, predicate.moment.judged])).toContain('space:/den')
})
