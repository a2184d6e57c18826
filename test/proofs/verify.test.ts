import { type BrokenReason, type ChainFault, verifyChains } from '@treeos/proofs'
import { append, readHeads } from '@treeos/store'
import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { batchOf, changed } from '../store/batch.ts'
import { appendChains, restore, rewriteSuffix, tamper } from '../store/tampered-chains.ts'
import { useDatabase } from '../support/database.ts'
import { IS_NIGHT } from '../support/night.ts'
import { verifyInSql } from './verify-in-sql.ts'

const base = useDatabase()
beforeAll(async () => {
  await appendChains(base.owner, base.owner, base.reality)
})
afterEach(() => restore(base))

/** The verdict, on which both verifiers must agree. */
async function verdict(): Promise<readonly ChainFault[]> {
  const [here, there] = await Promise.all([
    verifyChains(base.db, base.reality.id),
    verifyInSql(base.db, base.reality.id),
  ])
  expect(there).toEqual(here)
  expect(here.ok).toBe(here.broken.length === 0)
  return here.broken
}

const ada = (seq: number, reason: BrokenReason): ChainFault => ({ reel: 'being:ada', seq, reason })
const moments = (seq: number, reason: BrokenReason): ChainFault => ({ reel: 'moments:ada', seq, reason })

/** For each stored column: a change to ada's second row or head, and the fault that must be reported. */
const EDITS: Record<string, { to: string; broken: ChainFault[] }> = {
  'fact.reel': {
    to: `'being:eve'`,
    broken: [ada(2, 'seq-gap'), { reel: 'being:eve', seq: 1, reason: 'seq-gap' }],
  },
  'fact.seq': { to: 'seq + 1000', broken: [ada(2, 'seq-gap')] },
  'fact.kind': { to: `'being:moved'`, broken: [ada(2, 'header-mismatch')] },
  'fact.moment': { to: `'ada/1/9'`, broken: [ada(2, 'header-mismatch')] },
  'fact.hash': { to: flipped('hash'), broken: [ada(2, 'hash-mismatch')] },
  'fact.prev': { to: flipped('prev'), broken: [ada(2, 'prev-mismatch')] },
  'fact.payload_hash': { to: flipped('payload_hash'), broken: [ada(2, 'header-mismatch')] },
  'fact.header': { to: flipped('header'), broken: [ada(2, 'hash-mismatch')] },
  'fact.salt': { to: flipped('salt'), broken: [ada(2, 'payload-mismatch')] },
  'fact.bytes': { to: flipped('bytes'), broken: [ada(2, 'payload-mismatch')] },
  'head.reel': {
    to: `'being:eve'`,
    broken: [ada(4, 'head-mismatch'), { reel: 'being:eve', seq: 0, reason: 'head-mismatch' }],
  },
  'head.seq': { to: 'seq - 1', broken: [ada(4, 'head-mismatch')] },
  'head.hash': { to: flipped('hash'), broken: [ada(4, 'head-mismatch')] },
  'head.state_seq': { to: 'state_seq - 1', broken: [ada(4, 'head-mismatch')] },
  'moment_outcome.moment': { to: `'ada/2/2'`, broken: [moments(2, 'header-mismatch')] },
  'moment_outcome.being': {
    to: `'eve'`,
    broken: [moments(2, 'seq-gap'), { reel: 'moments:eve', seq: 1, reason: 'seq-gap' }],
  },
  'moment_outcome.n': { to: '1000', broken: [moments(2, 'seq-gap')] },
  'moment_outcome.kind': { to: `'see'`, broken: [moments(2, 'header-mismatch')] },
  'moment_outcome.reason': { to: `'FORBIDDEN'`, broken: [moments(2, 'header-mismatch')] },
  'moment_outcome.wake': { to: `'other'`, broken: [moments(2, 'header-mismatch')] },
  'moment_outcome.sealed_at': { to: 'sealed_at + 1', broken: [moments(2, 'header-mismatch')] },
  'moment_outcome.primary_role': { to: `'operator'`, broken: [moments(2, 'header-mismatch')] },
  'moment_outcome.prev': { to: flipped('prev'), broken: [moments(2, 'prev-mismatch')] },
  'moment_outcome.hash': { to: flipped('hash'), broken: [moments(2, 'hash-mismatch')] },
  'moment_outcome.record': { to: flipped('record'), broken: [moments(2, 'hash-mismatch')] },
}

function flipped(column: string): string {
  return `set_bit(${column}, 40, 1 - get_bit(${column}, 40))`
}

const ROW: Record<string, string> = {
  fact: `reel = 'being:ada' and seq = 2`,
  head: `reel = 'being:ada'`,
  moment_outcome: `being = 'ada' and n = 2`,
}

const NOT_OF_CHAINS = [
  'head.claimed',
  'head.listens_until',
  'head.woke_at',
  ...['detail', 'result', 'judged', 'sent', 'refusal'].map((name) => `moment_outcome.${name}`),
]

describe('a change to any stored column is found with reel, seq and reason', () => {
  it.each(Object.entries(EDITS))('%s', async (column, { to, broken }) => {
    const [table = '', name = ''] = column.split('.')
    await tamper(base, `update treeos.${table} set ${name} = ${to} where ${ROW[table]}`)
    expect(await verdict()).toEqual(broken)
  })

  it('covers every column except those for people, which are not hashed, and one that `verifyAll` compares', async () => {
    const { rows } = await sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'treeos' and table_name in ('fact', 'head', 'moment_outcome')`.execute(base.owner)
    const covered = [...Object.keys(EDITS), ...NOT_OF_CHAINS]
    expect(covered.sort()).toEqual(rows.map(({ name }) => name).sort())
  })
})

describe('other ways to change the past', () => {
  it.each<{ what: string; statements: string[]; broken: ChainFault[] }>([
    {
      what: 'a fact is deleted',
      statements: [`delete from treeos.fact where reel = 'being:ada' and seq = 3`],
      broken: [ada(3, 'seq-gap')],
    },
    {
      what: 'the newest fact is deleted with its payload',
      statements: [`delete from treeos.fact where reel = 'being:ada' and seq = 4`],
      broken: [ada(3, 'head-mismatch')],
    },
    {
      what: 'two facts are swapped',
      statements: [
        `update treeos.fact set seq = 5 - seq + 100 where reel = 'being:ada' and seq in (2, 3)`,
        `update treeos.fact set seq = seq - 100 where reel = 'being:ada' and seq > 100`,
      ],
      broken: [ada(2, 'prev-mismatch')],
    },
    {
      what: 'two reels are swapped',
      statements: ['fact', 'head'].map(
        (table) =>
          `update treeos.${table} set reel = case reel when 'being:ada' then 'being:zoe' else 'being:ada' end
           where reel in ('being:ada', 'being:bob')`,
      ),
      broken: [ada(1, 'prev-mismatch'), { reel: 'being:zoe', seq: 1, reason: 'prev-mismatch' }],
    },
    {
      what: 'a fact is copied to another reel',
      statements: [
        `insert into treeos.fact select 'being:bob', 5, kind, moment, sha256(hash), prev, payload_hash, header, salt, bytes
         from treeos.fact where reel = 'being:ada' and seq = 4`,
      ],
      broken: [{ reel: 'being:bob', seq: 5, reason: 'prev-mismatch' }],
    },
    {
      what: 'a head is deleted',
      statements: [`delete from treeos.head where reel = 'moments:ada'`],
      broken: [moments(3, 'head-mismatch')],
    },
    {
      what: 'a moment is deleted',
      statements: [`delete from treeos.moment_outcome where being = 'ada' and n = 1`],
      broken: [moments(1, 'seq-gap')],
    },
    {
      what: 'all of a chain is deleted but its head',
      statements: [`delete from treeos.moment_outcome where being = 'ada'`],
      broken: [moments(0, 'head-mismatch')],
    },
    {
      what: 'an erased payload is replaced',
      statements: [
        `update treeos.fact set salt = '\\x00', bytes = '{}' where reel = 'being:ada' and seq = 4`,
      ],
      broken: [ada(4, 'payload-mismatch')],
    },
    {
      what: 'a salt is gone and its payload is not',
      statements: [`update treeos.fact set salt = null where reel = 'being:ada' and seq = 2`],
      broken: [ada(2, 'payload-mismatch')],
    },
    {
      what: 'a payload is gone and its salt is not',
      statements: [`update treeos.fact set bytes = null where reel = 'being:ada' and seq = 2`],
      broken: [ada(2, 'payload-mismatch')],
    },
  ])('$what', async ({ statements, broken }) => {
    await tamper(base, ...statements)
    expect(await verdict()).toEqual(broken)
  })

  it.each<[string, (header: string) => string]>([
    ['has another number', (header) => header.replace('"seq":2', '"seq":3')],
    ['is not canonical', (header) => header.replace('{', '{ ')],
    ['has an extra key', (header) => header.replace('{', '{"a":1,')],
    ['has one key twice', (header) => header.replace('{', '{"actor":"x",')],
    ['is not JSON', () => 'nothing'],
    ['is not an object', () => '[]'],
    ['has an invalid time', (header) => header.replace(/"at":\d+/, '"at":1.5')],
    [
      'cites another payload',
      (header) => header.replace(/("payloadHash":")(.)/, (_, key, digit) => `${key}${digit === '0' ? 1 : 0}`),
    ],
    ['has a quote within a value', (header) => header.replace('"actor":"', '"actor":"x","code":"y')],
    ['has a backslash within a value', (header) => header.replace('"actor":"', '"actor":"\\')],
    ['has a control character', (header) => header.replace('"actor":"', '"actor":"\u0001')],
    ['has an escape without need', (header) => header.replace(/"code":"./, '"code":"\\u0074')],
    ['has a zero before its time', (header) => header.replace('"at":', '"at":0')],
    ['has no time', (header) => header.replace(/"at":\d+/, '"at":')],
    ['has a time of words', (header) => header.replace(/"at":\d+/, '"at":null')],
    ['has a number for a text', (header) => header.replace(/"actor":"[^"]*"/, '"actor":1')],
    ['has a malformed stack', (header) => header.replace(/"stack":[^,]*/, '"stack":{}')],
    ['says all of the row twice', (header) => header.replace(/(,"kind":.*,"stack":)/, '$1null$1')],
    [
      'says the row at another place',
      (header) => header.replace(/(,"code":.*)(,"kind":.*"stack":)/, '$2null$1'),
    ],
    ['goes on after its end', (header) => `${header} `],
    ['is cut off', (header) => header.slice(0, -1)],
  ])('a rewritten chain whose header %s', async (_, forge) => {
    await rewriteSuffix(base, 'being:ada', 2, forge)
    expect(await verdict()).toEqual([ada(2, 'header-mismatch')])
  })

  it('a header with escapes and other letters is as good as a plain one', async () => {
    const odd = '"actor":"\\"b\\\\é\\n\\u0001😀"'
    await rewriteSuffix(base, 'being:ada', 2, (header) => header.replace(/"actor":"[^"]*"/, odd))
    expect(await verdict()).toEqual([])
  })

  it('a rewritten chain with other values passes; only an earlier copy of its head shows the change', async () => {
    const [before] = await readHeads(base.db, base.reality.id, ['being:ada'])
    await rewriteSuffix(base, 'being:ada', 2, (header) => header.replace(/"actor":"[^"]*"/, '"actor":"bob"'))
    expect(await verdict()).toEqual([])
    const [after] = await readHeads(base.db, base.reality.id, ['being:ada'])
    expect(after?.hash).not.toBe(before?.hash)
  })

  it('a database checked as another reality', async () => {
    const other = '00000000-0000-0000-0000-000000000000'
    const here = await verifyChains(base.db, other)
    expect(here.broken.map(({ reason }) => reason)).toEqual(Array(4).fill('prev-mismatch'))
    expect(await verifyInSql(base.db, other)).toEqual(here)
  })

  it('any single bit', async () => {
    for (let i = 0; i < (IS_NIGHT ? 60 : 20); i++) {
      const columns = ['hash', 'prev', 'payload_hash', 'header']
      const column = columns[i % columns.length] ?? ''
      const seq = 1 + (i % 4)
      const bit = `(${i * 7919}) % (length(${column}) * 8)`
      await tamper(
        base,
        `update treeos.fact set ${column} = set_bit(${column}, ${bit}, 1 - get_bit(${column}, ${bit}))
         where reel = 'being:bob' and seq = ${seq}`,
      )
      expect(await verdict(), `${column} of ${seq}`).toEqual([
        expect.objectContaining({ reel: 'being:bob', seq }),
      ])
      await restore(base)
    }
  })
})

describe('an intact chain', () => {
  it('has no faults, also with erased payloads', async () => {
    expect(await verdict()).toEqual([])
    const done: { facts: number; moments: number }[] = []
    const all = await verifyChains(base.db, base.reality.id, { onProgress: (now) => done.push(now) })
    expect(all).toEqual({ reels: 2, facts: 8, moments: 6, ok: true, broken: [] })
    expect(done.at(-1)).toEqual({ facts: 8, moments: 6 })
  })

  it('has no faults while facts are being added', async () => {
    let going = true
    const writing = (async () => {
      while (going) {
        await append(base.owner, await batchOf(base.db, base.reality, { drafts: [changed('space:/busy')] }))
      }
    })()
    for (let i = 0; i < 10; i++) {
      expect(await verifyChains(base.db, base.reality.id)).toMatchObject({ ok: true })
      expect(await verifyInSql(base.db, base.reality.id)).toMatchObject({ ok: true })
    }
    going = false
    await writing
  })
})
