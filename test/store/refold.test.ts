import { momentsReel, REGISTRY_REEL } from '@treeos/core'
import { ErasedFactError, listReels, rebuildRow, refold, refoldAll } from '@treeos/store'
import { FOLD, genesisFacts, type Row, roleInstalled, type rowKeyOf, seed } from '@treeos/world'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { appendWithRows } from './batch.ts'
import { tamper } from './tampered-chains.ts'

const base = useDatabase()
beforeAll(async () => {
  await appendWithRows(base.owner, base.reality, genesisFacts())
  await appendWithRows(
    base.owner,
    base.reality,
    seed.roles.map((role) => roleInstalled(role, 'seed', () => 'a'.repeat(64))),
  )
  for (const facts of LATER) await appendWithRows(base.owner, base.reality, facts)
})

const quality = (reel: string, path: string[], value: unknown, merge = true) => ({
  reel,
  kind: 'quality:set',
  payload: { path, value, merge } as Parameters<typeof rowKeyOf>[0]['payload'],
})
/** What happens after genesis: moves, qualities set, merged and unset, signals, speech, a role deleted. */
const LATER = [
  [{ reel: 'being:echo', kind: 'being:moved', payload: { from: '/library', to: '/' } }],
  [quality('being:echo', ['mood'], { tone: 'glad', depth: 1e21, '\u0000': '👋' })],
  [quality('being:echo', ['mood'], { tone: null, low: -1.5e-9 })],
  [quality('space:/library', ['ambient', 'light', 'b'], [1, 'two', null]), quality('space:/', ['x'], 1)],
  [quality('space:/', ['x'], null)],
  [
    {
      reel: 'world:weather',
      kind: 'signal:published',
      payload: { namespace: 'weather', key: ['rain'], value: 3 },
    },
  ],
  [
    {
      reel: 'world:weather',
      kind: 'signal:published',
      payload: { namespace: 'weather', key: ['rain'], value: null },
    },
  ],
  [
    { reel: 'being:echo', kind: 'being:summoned', payload: { to: 'operator', content: 'hi' } },
    quality('being:echo', ['mood', 'tone'], 'calm'),
    { reel: 'being:echo', kind: 'being:summoned', payload: { to: 'operator', content: 'bye' } },
  ],
  [{ reel: REGISTRY_REEL, kind: 'role:deleted', payload: { name: 'librarian' } }],
]

const rows = () =>
  sql<{ key: string }>`select * from treeos.projection order by key collate "C"`
    .execute(base.owner)
    .then((result) => result.rows)

describe('a being is a row plus a reel', () => {
  it('rebuilds deleted rows from their reels, identical to the byte', async () => {
    const before = await rows()
    expect(before.length).toBeGreaterThan(10)
    for (const { key } of before) {
      await sql`delete from treeos.projection where key = ${key}`.execute(base.owner)
      await rebuildRow<Row>(base.owner, key, FOLD)
      expect(await rows(), key).toEqual(before)
    }
    await sql`delete from treeos.projection`.execute(base.owner)
    for (const { key } of before) await rebuildRow<Row>(base.owner, key, FOLD)
    expect(await rows()).toEqual(before)
  })

  it('rebuilds a row that was altered, and deletes one that no reel yields', async () => {
    const before = await rows()
    await sql`update treeos.projection set state = '{}', folded_seq = 0, place = 'x', parent = 'x', cognition = 'human'
      where key = 'being:echo'`.execute(base.owner)
    await sql`insert into treeos.projection (key, reel, state, folded_seq) values ('being:ghost', 'being:ghost', '{}', 1)`.execute(
      base.owner,
    )
    expect(await rebuildRow<Row>(base.owner, 'being:echo', FOLD)).toMatchObject({ key: 'being:echo' })
    expect(await rebuildRow<Row>(base.owner, 'being:ghost', FOLD)).toBeNull()
    expect(await rows()).toEqual(before)
  })
})

describe('refoldAll', () => {
  const beside = () =>
    sql`select reel, path, being, name, equals from treeos.watch order by being, reel, path, name`
      .execute(base.owner)
      .then((result) => result.rows)

  it('finds nothing to repair where rows are as their facts say', async () => {
    const [before, watches] = [await rows(), await beside()]
    expect(await refoldAll<Row>(base.owner, FOLD)).toEqual({
      rows: before.length,
      changed: [],
      erased: [],
    })
    expect([await rows(), await beside()]).toEqual([before, watches])
  })

  it.each([
    ['a changed state', 'being:echo', `state = replace(state, '"calm"', '"grim"')`],
    ['a changed place', 'being:echo', `place = '/library'`],
    ['a changed seq', 'space:/library', 'folded_seq = folded_seq - 1'],
    ['a row under another reel', 'role:resident', `reel = 'being:echo'`],
    ['a changed role', 'role:resident', `state = replace(state, '"deleted":false', '"deleted":true')`],
  ])('repairs %s, names the row, and then finds nothing more', async (_what, key, set) => {
    const before = await rows()
    await sql`update treeos.projection set ${sql.raw(set)} where key = ${key}`.execute(base.owner)
    expect(await rows()).not.toEqual(before) // so the test sees a corruption
    expect(await refoldAll<Row>(base.owner, FOLD)).toMatchObject({ changed: [key] })
    expect(await rows()).toEqual(before)
    expect(await refoldAll<Row>(base.owner, FOLD)).toMatchObject({ changed: [] })
  })

  it('makes lost rows again, and deletes those that no reel yields', async () => {
    const before = await rows()
    await sql`delete from treeos.projection where key in ('world:weather', 'role:resident')`.execute(
      base.owner,
    )
    await sql`insert into treeos.projection (key, reel, state, folded_seq) values
      ('being:ghost', 'being:ghost', '{}', 1), ('role:ghost', 'being:ghost', '{}', 1)`.execute(base.owner)
    expect(await refoldAll<Row>(base.owner, FOLD)).toMatchObject({
      changed: ['being:ghost', 'role:ghost', 'role:resident', 'world:weather'],
    })
    expect(await rows()).toEqual(before)
  })

  it('repairs the watches of a being, also of one that is called like a namespace of signals', async () => {
    const flow = [{ role: 'resident', when: { 'world.weather.rain': { present: true } } }]
    const payload = {
      name: 'weather',
      parent: 'operator',
      cognition: { kind: 'scripted', script: 'echo' },
      defaultRole: 'resident',
      home: '/',
      qualities: {},
      ceiling: null,
    }
    await appendWithRows(base.owner, base.reality, [
      { reel: 'being:weather', kind: 'being:born', payload },
      quality('being:weather', ['roleFlow'], flow, false),
    ])
    const watches = await beside()
    expect(watches).toContainEqual(expect.objectContaining({ being: 'weather', path: 'rain' }))
    expect(await refoldAll<Row>(base.owner, FOLD)).toMatchObject({ changed: [] })
    expect(await beside()).toEqual(watches)
    await sql`delete from treeos.watch where being = 'weather'`.execute(base.owner)
    expect(await refoldAll<Row>(base.owner, FOLD)).toMatchObject({ changed: ['being:weather'] })
    expect(await beside()).toEqual(watches)
  })
})

describe('refold', () => {
  it('folds a reel up to any fact, and tells the last fact that changed the row', async () => {
    const at = async (until?: number) => {
      const folded = (await refold<Row>(base.db, 'being:echo', FOLD, until)).get('being:echo')
      return folded && { ...folded, state: folded.state as { space?: string } }
    }
    expect(await at(0)).toBeUndefined()
    expect(await at(1)).toMatchObject({ foldedSeq: 1, state: { space: '/library' } })
    expect(await at(2)).toMatchObject({ foldedSeq: 2, state: { space: '/' } })
    expect(await at(5)).toMatchObject({ foldedSeq: 4 }) // the fifth is speech
    expect(await at()).toMatchObject({ foldedSeq: 6, state: { qualities: { mood: { tone: 'calm' } } } })
  })

  it('yields every role of the registry', async () => {
    const roles = await refold<Row>(base.db, REGISTRY_REEL, FOLD)
    expect([...roles.keys()].sort()).toEqual(seed.roles.map(({ spec }) => `role:${spec.name}`).sort())
    expect(roles.get('role:librarian')?.state).toMatchObject({ deleted: true })
  })

  it('lists reels without the records of moments', async () => {
    const reels = await listReels(base.db)
    expect(reels).toContain('being:echo')
    expect(reels).not.toContain(momentsReel('echo'))
  })

  it('skips missing speech, and names the fact when one that changed a row is missing', async () => {
    const erase = (seq: number) =>
      tamper(
        base,
        `update treeos.fact set salt = null, bytes = null where reel = 'being:echo' and seq = ${seq}`,
      )
    await erase(5)
    expect((await refold<Row>(base.db, 'being:echo', FOLD)).size).toBe(1)
    await erase(2)
    await expect(refold<Row>(base.db, 'being:echo', FOLD)).rejects.toThrow(
      new ErasedFactError('being:echo', 2),
    )
    const before = await rows()
    expect(await refoldAll<Row>(base.owner, FOLD)).toMatchObject({
      changed: [],
      erased: [{ reel: 'being:echo', seq: 2 }],
    })
    expect(await rows()).toEqual(before)
  })
})
