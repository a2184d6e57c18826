import {
  asJson,
  type FactDraft,
  type HeadRef,
  type Json,
  type ReelId,
  reelOfKey,
  type SeenHead,
} from '@treeos/core'
import { PastStates } from '@treeos/replay'
import { digestOf, prefetch, putBlob, ReadSet, readHeads, rowSource } from '@treeos/store'
import {
  evolve,
  genesisFacts,
  memoryRows,
  type Row,
  type RowSource,
  roleInstalled,
  rowKeyOf,
  seed,
} from '@treeos/world'
import { beforeAll, describe, expect, it } from 'vitest'
import { appendWithRows, OPENED_AT } from '../store/batch.ts'
import { useDatabase } from '../support/database.ts'

const SPEC = { name: 'judge', canDo: ['court:rule'] }
const NOT_STORED = digestOf('nothing is stored under this digest')

const created = (id: string, place: string): FactDraft[] => [
  {
    reel: `matter:${id}`,
    kind: 'matter:created',
    payload: { id, type: 'note', owner: 'operator', place, content: id, qualities: {} },
  },
  { reel: reelOfPlace(place), kind: 'place:received', payload: { matter: id } },
]
const reelOfPlace = (place: string) => (place.startsWith('@') ? `being:${place.slice(1)}` : `space:${place}`)

/** A small world: genesis, its roles, a being that moved, and notes that lie, are held, and ended. */
const WORLD: readonly (readonly FactDraft[])[] = [
  genesisFacts(),
  seed.roles.map((role) => roleInstalled(role, 'seed', digestOf)),
  [
    { reel: 'space:/library', kind: 'space:left', payload: { being: 'echo', to: '/' } },
    { reel: 'being:echo', kind: 'being:moved', payload: { from: '/library', to: '/' } },
    { reel: 'space:/', kind: 'space:entered', payload: { being: 'echo', from: '/library' } },
  ],
  [...created('b', '/library'), ...created('a', '/library'), ...created('c', '@librarian')],
  [
    ...created('d', '/library'),
    { reel: 'matter:d', kind: 'matter:ended', payload: {} },
    { reel: 'space:/library', kind: 'place:gave', payload: { matter: 'd' } },
  ],
  [
    {
      reel: 'world:weather',
      kind: 'signal:published',
      payload: { namespace: 'weather', key: ['rain'], value: 3 },
    },
  ],
]

const MISSING = ['being:nobody', 'space:/nowhere', 'role:missing', 'matter:none', 'world:none']

/** The rows of the world by key, folded here, so that no source is compared with itself. */
const ROWS: ReadonlyMap<string, Row> = (() => {
  const rows = new Map<string, Row>()
  for (const draft of WORLD.flat()) {
    const key = rowKeyOf(draft)
    const row = key && evolve(rows.get(key) ?? null, { ...draft, actor: '$reality', at: OPENED_AT })
    if (key && row) rows.set(key, row)
  }
  return rows
})()

interface Implementation {
  readonly name: string
  open(): Promise<RowSource>
  /** reads rows without reels: every head stands at 0 */
  readonly hasNoReels?: true
}

const base = useDatabase()
let heads: ReadonlyMap<ReelId, SeenHead>
let digest: string

beforeAll(async () => {
  for (const drafts of WORLD) await appendWithRows(base.owner, base.reality, drafts)
  digest = await putBlob(base.db, SPEC)
  const reels = [...new Set([...ROWS.keys(), ...MISSING].map(reelOfKey))]
  heads = new Map((await readHeads(base.db, base.reality.id, reels)).map((head) => [head.reel, head]))
})

const prefetched = async (predicted: ReadSet): Promise<RowSource> =>
  (await prefetch(base.db, { reality: base.reality.id, being: 'echo' }, predicted)).source

function readSetOf(keys: Iterable<string>, places: Iterable<string>, parents: Iterable<string>): ReadSet {
  const readSet = new ReadSet()
  for (const key of keys) readSet.keys.add(key)
  for (const place of places)
    for (const kind of ['being:', 'space:', 'matter:']) {
      readSet.list({ place, kind, most: null })
      readSet.count({ place, kind })
    }
  for (const parent of parents) readSet.parents.add(parent)
  return readSet
}

const everything = (): ReadSet =>
  readSetOf(
    [...ROWS.keys(), ...MISSING],
    ['/', '/library', '@librarian', '/nowhere'],
    ['operator', 'echo', 'nobody'],
  )

const basis = (): HeadRef[] => [...heads.values()].map(({ reel, seq, hash }): HeadRef => [reel, seq, hash])

describe.each<Implementation>([
  { name: 'Postgres', open: async () => rowSource(base.db, base.reality.id) },
  { name: 'a prefetch that predicted nothing', open: () => prefetched(new ReadSet()) },
  {
    name: 'a prefetch that predicted a part',
    open: () => prefetched(readSetOf(['space:/', 'being:nobody'], ['/library'], ['echo'])),
  },
  { name: 'a prefetch that predicted everything', open: () => prefetched(everything()) },
  {
    name: 'rows in memory',
    open: async () => memoryRows(ROWS, new Map<string, Json>([[digest, SPEC]])),
    hasNoReels: true,
  },
  { name: 'the past at a basis', open: async () => new PastStates(base.db).cited(basis()) },
  {
    name: 'the past around a basis of a few reels',
    open: async () => new PastStates(base.db).citedOrSealedBy(basis().slice(0, 3), OPENED_AT),
  },
])('a RowSource over $name', ({ open, hasNoReels }) => {
  let source: RowSource
  beforeAll(async () => {
    source = await open()
  })

  /** The answer by key: a source may answer in any order. */
  const read = async (keys: readonly string[]) => {
    const answer = await source.rows(keys)
    expect(answer.map(({ key }) => key).sort()).toEqual([...keys].sort())
    return new Map(answer.map((row) => [row.key, row]))
  }

  it('reads every row, one entry a key', async () => {
    const rows = await read([...ROWS.keys()])
    for (const [key, row] of ROWS) expect(rows.get(key)?.state, key).toEqual(asJson(row))
  })

  it('reads the same rows when they are asked for one by one', async () => {
    const together = await read([...ROWS.keys()])
    for (const key of ROWS.keys()) expect((await read([key])).get(key)).toEqual(together.get(key))
  })

  it('gives each row the head of its reel; roles share one', async () => {
    for (const [key, { head }] of await read([...ROWS.keys()])) {
      const reel = reelOfKey(key)
      const expected = hasNoReels ? { reel, seq: 0, hash: '', stateSeq: 0 } : heads.get(reel)
      expect(head, key).toEqual(expected)
    }
  })

  it('gives a missing row a null state and the head of its reel', async () => {
    for (const [key, { state, head }] of await read(MISSING)) {
      expect({ key, state }).toEqual({ key, state: null })
      const reel = reelOfKey(key)
      const { seq, stateSeq } = (hasNoReels ? undefined : heads.get(reel)) ?? { seq: 0, stateSeq: 0 }
      expect(head).toMatchObject({ reel, seq, stateSeq })
    }
  })

  it('reads present and missing rows in one call', async () => {
    const rows = await read(['being:nobody', 'space:/', 'matter:none', 'being:echo'])
    expect(
      [...rows]
        .filter(([, { state }]) => state === null)
        .map(([key]) => key)
        .sort(),
    ).toEqual(['being:nobody', 'matter:none'])
  })

  it('reads nothing for no keys', async () => {
    expect(await source.rows([])).toEqual([])
  })

  it('lists what is in a place, sorted, one kind at a time', async () => {
    expect(await source.keysInPlace('/library', 'matter:')).toEqual(['matter:a', 'matter:b'])
    expect(await source.keysInPlace('/library', 'being:')).toEqual(['being:librarian'])
    expect(await source.keysInPlace('/library', 'space:')).toEqual([])
    expect(await source.keysInPlace('/', 'space:')).toEqual(['space:/library'])
    expect(await source.keysInPlace('/', 'being:')).toEqual([
      'being:birther',
      'being:echo',
      'being:operator',
      'being:role-manager',
    ])
  })

  it('lists the first of many, and counts them', async () => {
    expect(await source.keysInPlace('/', 'being:', 2)).toEqual(['being:birther', 'being:echo'])
    expect(await source.keysInPlace('/', 'being:', null)).toHaveLength(4)
    expect(await source.countInPlace('/', 'being:')).toBe(4)
    expect(await source.countInPlace('/library', 'space:')).toBe(0)
    expect(await source.countInPlace('@librarian', 'matter:')).toBe(1)
  })

  it('lists what a being holds by its stance', async () => {
    expect(await source.keysInPlace('@librarian', 'matter:')).toEqual(['matter:c'])
  })

  it('lists the children of a being, sorted', async () => {
    const children = await source.keysOfChildren('operator')
    expect(children).toEqual(['being:birther', 'being:echo', 'being:librarian', 'being:role-manager'])
    expect(await source.keysOfChildren('echo')).toEqual([])
  })

  it('lists all beings, sorted', async () => {
    expect(await source.keysOfBeings()).toEqual([
      'being:birther',
      'being:echo',
      'being:librarian',
      'being:operator',
      'being:role-manager',
    ])
  })

  it('reads a blob by its digest; null when none is stored', async () => {
    expect(await source.blob(digest)).toEqual(SPEC)
    expect(await source.blob(NOT_STORED)).toBeNull()
  })

  it('gives lists that the caller may change', async () => {
    for (const list of [
      () => source.keysInPlace('/library', 'matter:'),
      () => source.keysOfChildren('operator'),
    ]) {
      const first = await list()
      first.reverse()
      expect(await list()).toEqual([...first].reverse())
    }
  })
})

describe('a list that was fetched with a bound', () => {
  it('answers for as many, and is asked for anew for more', async () => {
    const predicted = new ReadSet()
    predicted.list({ place: '/', kind: 'being:', most: 2 })
    const source = await prefetched(predicted)
    expect(await source.keysInPlace('/', 'being:', 1)).toEqual(['being:birther'])
    expect(await source.keysInPlace('/', 'being:', 2)).toEqual(['being:birther', 'being:echo'])
    expect(await source.keysInPlace('/', 'being:', 3)).toHaveLength(3)
    expect(await source.keysInPlace('/', 'being:')).toHaveLength(4)
    expect(await source.countInPlace('/', 'being:')).toBe(4)
  })

  it('answers for all when it holds fewer than its bound', async () => {
    const predicted = new ReadSet()
    predicted.list({ place: '/library', kind: 'matter:', most: 3 })
    const source = await prefetched(predicted)
    expect(await source.keysInPlace('/library', 'matter:')).toEqual(['matter:a', 'matter:b'])
  })
})
