/**
 * Sealed texts in the store: what waits, what is forgotten, and searches that floods and forged bytes do not
 * stop.
 */
import { randomBytes } from 'node:crypto'
import { seekBy } from '@treeos/activities'
import { newWake } from '@treeos/core'
import {
  append,
  keepVector,
  listFactsSaying,
  listMomentsShown,
  listUnlikened,
  openDatabase,
  prefetch,
  ReadSet,
  readAtOneInstant,
  releaseDelayed,
  sealText,
  withdraw,
} from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { putWake } from '../support/wakes.ts'
import { batchOf } from './batch.ts'
import { rowOf } from './stolen.ts'

const base = useDatabase()
const WAKE = 'told-kid'
beforeAll(async () => {
  const rows = ['operator', 'kid', 'ann', 'bob'].map((name) =>
    rowOf(name, name === 'kid' ? 'operator' : null, 'llm'),
  )
  await append(base.owner, await batchOf(base.owner, base.reality, { rows }))
  const wake = newWake({ id: WAKE, being: 'kid', kind: 'event', priority: 1, content: null })
  await putWake(base.owner, wake)
})

const idOf = (sealed: string | null) => /note-[0-9a-f]{32}/.exec(sealed ?? '')?.[0] ?? 'none'
const insertFact = (reel: string, seq: number, kind: string, said: unknown, at: number) =>
  sql`
    insert into treeos.fact (reel, seq, kind, moment, hash, prev, payload_hash, header, salt, bytes)
      values (${reel}, ${seq}, ${kind}, 'kid/1/1', ${randomBytes(32)}, '', '', ${Buffer.from(JSON.stringify({ at, kind, moment: 'kid/1/1', actor: 'kid', cause: null }))},
        '', ${Buffer.from(typeof said === 'string' ? said : JSON.stringify(said))})`.execute(base.owner)
/** A note as an append leaves it; `forged` stands in its row and its fact instead of it. */
async function keep(
  text: string,
  { being = 'kid', at = 1, forged = '' }: { being?: string; at?: number; forged?: string } = {},
): Promise<string> {
  const sealed = await sealText(base.db, text, { being, wake: WAKE })
  const id = idOf(sealed)
  await sql`update treeos.sealed_text set wake = null, at = to_timestamp(${at}) where id = ${id}`.execute(
    base.owner,
  )
  const content = { text: sealed }
  const state = forged || JSON.stringify({ owner: being, content })
  await sql`insert into treeos.projection (key, reel, state, folded_seq, place) values (${`matter:${id}`}, ${`matter:${id}`}, ${state}, 1, ${`@${being}`})`.execute(
    base.owner,
  )
  await insertFact(`matter:${id}`, 1, 'matter:written', forged || { content }, at)
  return id
}
async function recall(about: string, being = 'kid') {
  const { source } = await prefetch(base.db, { reality: base.reality.id, being }, new ReadSet())
  const asked = { about, makers: being === 'kid' ? ['operator'] : [], places: ['/den'], outside: false }
  return source.aside.recalled(asked, async (ids) => new Set(ids))
}
const rowsOf = (id: string) => base.db.selectFrom('sealed_text').select('id').where('id', '=', id).execute()

it('a text waits for its wake: it is forgotten with it, and does not come back', async () => {
  const act = newWake({ id: 'act/one', being: 'operator', kind: 'act', priority: 1, content: null })
  const sealing = { being: 'operator', wake: act.id, name: 'text' }
  const sealed = await sealText(base.people, 'a word', sealing)
  expect(await sealText(base.people, 'a word', sealing)).toBe(sealed) // the same request says the same
  expect(await sealText(base.people, 'a word', { ...sealing, being: 'ann' })).not.toBe(sealed)
  await putWake(base.owner, act)
  expect(await withdraw(base.people, act)).toBe(true)
  expect(await rowsOf(idOf(sealed))).toEqual([])
  expect(await sealText(base.people, 'a word', sealing)).toBeNull() // its wake is over
  await expect(sealText(base.db, 'a word', { being: 'kid', wake: 'nothing' })).rejects.toMatchObject({
    code: '42501',
  })

  const lost = idOf(
    await sealText(base.people, 'lost', { being: 'operator', wake: 'act/never', name: 'text' }),
  )
  const waits = idOf(await sealText(base.db, 'waits', { being: 'kid', wake: WAKE }))
  await sql`update treeos.sealed_text set at = at - interval '11 minutes' where id in (${lost}, ${waits})`.execute(
    base.owner,
  )
  await releaseDelayed(base.db, { sweeps: true })
  expect(await rowsOf(lost)).toEqual([]) // its process ended before it acted
  expect(await rowsOf(waits)).toHaveLength(1)
})

it('no being has more than 100 texts that wait', async () => {
  await Promise.all(
    Array.from({ length: 100 }, (_, i) => sealText(base.db, `text ${i}`, { being: 'bob', wake: WAKE })),
  )
  expect(await sealText(base.db, 'one more', { being: 'bob', wake: WAKE })).toBeNull()
  expect(await sealText(base.db, 'of another', { being: 'kid', wake: WAKE })).not.toBeNull()
})

it('a flood of facts hides no note from who asks where a text came from', async () => {
  const old = await keep('The heronword is old', { at: 10 })
  const young = await keep('The heronword is young', { at: 5000 })
  await sql`
    insert into treeos.fact (reel, seq, kind, moment, hash, prev, payload_hash, header, salt, bytes)
      select 'being:kid', 1000 + i, 'quality:set', null, sha256(convert_to('flood ' || i, 'UTF8')), '', '', convert_to('{"at":' || 1000 + i || '}', 'UTF8'),
        '', convert_to('{"value":"heronword"}', 'UTF8')
      from generate_series(1, 1100) i`.execute(base.owner)
  let page = await listFactsSaying(base.owner, 'heronword')
  expect(page.facts[0]).toMatchObject({ reel: `matter:${young}` })
  expect(page.facts).toHaveLength(50)
  const reels = new Set<string>()
  while (page.next !== null) {
    page = await listFactsSaying(base.owner, 'heronword', page.next)
    for (const { reel } of page.facts) reels.add(reel)
  }
  expect(reels).toContain(`matter:${old}`)
})

it('forged bytes stop neither a search nor the tracing of a text', async () => {
  const good = await keep('The otterword is good')
  const states = ['no JSON', '{"owner":"kid","content":{"text":"\\u0000"}}', `{"a":${'['.repeat(20_000)}`]
  for (const forged of states) await keep('The otterword is forged', { forged })
  const bytes = [
    Buffer.from([255]),
    Buffer.from('['.repeat(20_000)),
    Buffer.from('{"heads":{"being:kid":"x"}}'),
  ]
  for (const [n, forged] of bytes.entries())
    await sql`insert into treeos.moment_open (moment, being, n, wake, opened_at, record, basis)
      values (${`kid/9/${n}`}, 'kid', ${n}, 'x', 1, ${forged}, ${forged})`.execute(base.owner)
  expect((await recall('otterword')).notes.map(({ id }) => id)).toEqual([good])
  await insertFact('being:kid', 9000, 'quality:set', '{"value":"otterword"}', 7)
  const { facts } = await listFactsSaying(base.owner, 'otterword')
  expect(facts.map(({ reel }) => reel).sort()).toEqual(['being:kid', `matter:${good}`].sort())
  for (const fact of facts) expect(await listMomentsShown(base.owner, fact)).toEqual([])
})

it('a search over many long notes takes no second, and one that is held up finds none and says so', async () => {
  const words = Array.from({ length: 400 }, (_, i) => `word${i.toString(36)}x`)
  const text = words.slice(0, 250).join(' ')
  await sql`
    insert into treeos.sealed_text (id, being, at, key, words)
      select 'note-' || 'eeee' || lpad(to_hex(i), 28, '0'), case when i % 3 = 0 then 'operator' else 'kid' end, to_timestamp(i), sha256(''), to_tsvector('english', ${text})
      from generate_series(1, 1500) i`.execute(base.owner)
  await sql`
    insert into treeos.projection (key, reel, state, folded_seq, place)
      select 'matter:' || id, 'matter:' || id, jsonb_build_object('owner', being, 'content', jsonb_build_object('text', 'sealed:' || id || ':x'))::text, 1, '@' || being
      from treeos.sealed_text where id like 'note-eeee%'`.execute(base.owner)
  const started = performance.now()
  const found = await recall(words.join(' '))
  expect(performance.now() - started).toBeLessThan(1000)
  expect(found.notes).toHaveLength(24)
  expect(found.more).toBeGreaterThan(900)

  await base.owner.transaction().execute(async (tx) => {
    await sql`lock table treeos.sealed_text in access exclusive mode`.execute(tx)
    expect(await recall('anything')).toEqual({ notes: [], more: 0, held: 0, failed: true })
  })
})

it('a search by signs of the query language finds notes as any other', async () => {
  const id = await keep('The lynxword is here')
  const odd = `it's 'a' \\ back\\slash | & ! ( ) <-> :* http://x.example/a?b='c'&d=\\' lynxword`
  expect((await recall(odd)).notes.map((one) => one.id)).toContain(id)
})

it('a reading that has to look twice searches by the one connection that it has', async () => {
  const one = openDatabase(base.workerUrl, { poolMax: 1 })
  const id = await keep('The lynxword is elsewhere, too')
  const { seen } = await readAtOneInstant(
    one,
    { reality: base.reality.id, being: 'kid' },
    new ReadSet(),
    async ({ source }) => {
      await source.rows(['being:ann']) // nobody foresaw it
      const asked = { about: 'lynxword', makers: [], places: [], outside: false }
      return source.aside.recalled(asked, async (ids) => new Set(ids))
    },
  )
  expect(seen.notes.map((note) => note.id)).toContain(id)
  await one.destroy()
})

it('whoever has the login of a worker takes back no vector, and adds none to what is no note', async () => {
  const id = await keep('the vault opens at nine', { being: 'operator' })
  const waits = idOf(await sealText(base.db, 'not a note yet', { being: 'kid', wake: WAKE }))
  const vectorsOf = async (note: string) => {
    const { rows } = await sql<{ made: [string, number[]][] }>`
      select (select coalesce(jsonb_agg(jsonb_build_array(v.model, v.vector)), '[]') from unnest(s.vectors) v) as made
      from treeos.sealed_text s where s.id = ${note}`.execute(base.owner)
    return rows[0]?.made
  }
  await keepVector(base.db, id, 'true', [1, 0])
  await keepVector(base.db, id, 'true', [0, 1])
  await keepVector(base.db, id, 'other', [0, 1])
  await keepVector(base.db, id, 'true', [0, 1])
  await keepVector(base.db, waits, 'true', [0, 1])
  expect(await vectorsOf(id)).toEqual([
    ['true', [1, 0]],
    ['other', [0, 1]],
  ])
  expect(await vectorsOf(waits)).toEqual([])
  for (const bad of [[Number.NaN], [1, Number.POSITIVE_INFINITY], [], Array(8193).fill(0)])
    await expect(keepVector(base.db, id, 'bad', bad)).rejects.toMatchObject({ code: '42501' })
  for (const statement of [
    sql`update treeos.sealed_text set vectors = '{}' where id = ${id}`,
    sql`delete from treeos.sealed_text where id = ${id}`,
  ])
    await expect(statement.execute(base.db)).rejects.toMatchObject({ code: '42501' })
  for (let n = 0; n < 10; n++) await keepVector(base.db, id, `model ${n}`, [1])
  expect((await vectorsOf(id))?.length).toBe(8)
  const more = { beings: ['operator'], model: 'one more', most: 100, without: [] }
  expect((await listUnlikened(base.db, more)).map((note) => note.id)).not.toContain(id)
  // Control: who owns the tables.
  await sql`update treeos.sealed_text set vectors = array[row('true', '{0,1}')::treeos.note_vector] where id = ${id}`.execute(
    base.owner,
  )
  expect(await vectorsOf(id)).toEqual([['true', [0, 1]]])
})

it('a note that a server of embeddings does not take keeps no other from its vector', async () => {
  const taken = await Promise.all(
    ['one', 'two', 'three'].map((text) => keep(`ann ${text}`, { being: 'ann' })),
  )
  const refused = await keep('ann too long', { being: 'ann' })
  const embedder = {
    model: 'toy',
    async embed(texts: readonly string[]) {
      if (texts.some((text) => text.includes('too long'))) throw new Error('too many tokens')
      return texts.map(() => [1, 0])
    },
  }
  const faults: unknown[] = []
  const seek = seekBy(base.db, embedder, (error) => faults.push(error))
  for (let n = 0; n < 8; n++) expect(await seek(['ann'], 'a word')).toEqual({ model: 'toy', vector: [1, 0] })
  const { rows } = await sql<{
    id: string
  }>`select id from treeos.sealed_text where exists (select from unnest(vectors) v where v.model = 'toy') order by id`.execute(
    base.owner,
  )
  expect(rows.map(({ id }) => id)).toEqual([...taken].sort())
  expect(rows.map(({ id }) => id)).not.toContain(refused)
  expect(faults.length).toBeGreaterThan(0)
})
