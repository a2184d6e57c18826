/** Lists of a world with many beings are made in Postgres. TREEOS_CROWD=10000 is the full size. */

import { authoring, budgets, inspectRole } from '@treeos/client'
import { canonicalJson } from '@treeos/core'
import { listRowsOf } from '@treeos/reality'
import { countNamedRoles, findAddresses, listAddresses, listBeingsNaming } from '@treeos/store'
import { type BeingRow, rolesNamed } from '@treeos/world'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { stage } from '../../support/puppet.ts'
import { useWorld } from '../../support/use-world.ts'

const CROWD = Number(process.env.TREEOS_CROWD ?? 400)
/** Of 10,000 beings, on a quiet machine. A busy one, and the check, get more. */
const MS_MAX = CROWD >= 10_000 ? Number(process.env.TREEOS_CROWD_MS ?? 100) : 2000
const ROLES = ['resident', 'citizen', 'stage:free', 'gone']

/** A being as rows have it; every seventh was ended, and every third has a flow. */
function being(i: number): BeingRow {
  const named = (n: number) => ROLES[(i + n) % ROLES.length]!
  return {
    name: `b-${i}`,
    parent: i % 10 === 0 ? 'operator' : `b-${i - (i % 10)}`,
    cognition: { kind: 'scripted', script: 'echo' },
    defaultRole: i % 5 === 0 ? null : named(0),
    home: '/',
    space: '/',
    qualities: {
      mood: { said: `"resident" is a word, number ${i}` },
      ...(i % 3 === 0
        ? { roleFlow: [{ role: named(1) }, { stack: true, role: named(2), when: { 'world.a.b': 1 } }] }
        : {}),
    },
    ceiling: null,
    bornAt: i,
    ...(i % 7 === 0 ? { ended: 1 } : {}),
    ...(i % 4 === 0 ? { budget: { tokens: i, per: 'day', revision: 1 } } : {}),
  }
}

const world = useWorld({ extensions: [stage] })
const rows = Array.from({ length: CROWD }, (_, i) => being(i))

beforeAll(async () => {
  await sql`
    insert into treeos.projection (key, reel, state, folded_seq, place, parent, cognition)
    select 'being:' || (s::jsonb->>'name'), 'being:' || (s::jsonb->>'name'), s, 1, '/', s::jsonb->>'parent',
      case when s::jsonb ? 'ended' then 'ended' else 'scripted' end
    from unnest(${rows.map((row) => canonicalJson(row))}::text[]) s`.execute(world.owner)
  await sql`analyze`.execute(world.owner)
}, 60_000)

/** The median of several runs. */
async function timed(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 5; i++) {
    const began = performance.now()
    await ask()
    times.push(performance.now() - began)
  }
  return times.sort((a, b) => a - b)[2]!
}

describe('of many beings', () => {
  const living = async () =>
    (await listRowsOf(world.db, 'being:')).map(({ row }) => row).filter(({ ended }) => ended === undefined)

  it('those that name a role are counted and listed as if all rows were read', async () => {
    const all = await living()
    const counts = new Map<string, number>()
    for (const row of all) for (const role of rolesNamed(row)) counts.set(role, (counts.get(role) ?? 0) + 1)
    expect(new Map([...(await countNamedRoles(world.db))].sort())).toEqual(new Map([...counts].sort()))
    for (const role of [...ROLES, 'nobody']) {
      const naming = all.filter((row) => rolesNamed(row).includes(role)).map(({ name }) => name)
      const found = await listBeingsNaming(world.db, role, { among: null, limit: 20 })
      expect(found.states.map((state) => (state as unknown as BeingRow).name)).toEqual(naming.slice(0, 20))
      expect(found.count).toBe(naming.length)
      // Among its offspring, at any distance.
      const own = all.filter(({ name, parent }) => name === 'b-20' || parent === 'b-20')
      const among = await listBeingsNaming(world.db, role, { among: 'b-20', limit: 20 })
      expect(among.count).toBe(own.filter((row) => rolesNamed(row).includes(role)).length)
    }
    const addresses = await listAddresses(world.db)
    expect(addresses.beings).toEqual(all.map(({ name }) => name))
    expect(addresses.spaces).toEqual((await listRowsOf(world.db, 'space:')).map(({ row }) => row.path))
    const stances = all.map(({ name }) => `@${name}`)
    for (const text of ['', 'B-1', 'er', '@b-2', '/', '%', '_']) {
      const placeIn = (address: string) => address.indexOf(text.toLowerCase())
      const holding = (some: string[]) =>
        some
          .filter((address) => placeIn(address) >= 0)
          .sort((a, b) => placeIn(a) - placeIn(b) || (a < b ? -1 : 1))
          .slice(0, 20)
      const found = (of: 'beings' | 'all') => findAddresses(world.db, { text, of, limit: 20 })
      expect(await found('beings')).toEqual(holding(stances))
      expect(await found('all')).toEqual(holding([...stances, ...addresses.spaces]))
    }
  })

  it('the budgets of those that have one are listed, with their births', async () => {
    const views = (await budgets(world)).filter(({ being }) => being?.startsWith('b-'))
    const limited = rows.filter(({ budget }) => budget !== undefined)
    expect(views.map(({ being }) => being).sort()).toEqual(limited.map(({ name }) => name).sort())
    const births = (name: string) => rows.filter(({ parent }) => parent === name).length
    for (const { being, used } of views) expect(used.births).toBe(births(being!))
  })

  it(`the list of roles, one role and all budgets take less than ${MS_MAX} ms each, of ${CROWD}`, async () => {
    const took = {
      roles: await timed(() => authoring(world, 'operator')),
      role: await timed(() => inspectRole(world, 'operator', 'resident')),
      budgets: await timed(() => budgets(world)),
      counts: await timed(() => countNamedRoles(world.db)),
      addresses: await timed(() => listAddresses(world.db)),
      search: await timed(() => findAddresses(world.db, { text: '99', of: 'all', limit: 50 })),
      /** what each of the lists did before */
      before: await timed(living),
    }
    console.log(JSON.stringify(took))
    for (const [what, ms] of Object.entries(took).slice(0, 3)) expect(ms, what).toBeLessThan(MS_MAX)
  })
})
