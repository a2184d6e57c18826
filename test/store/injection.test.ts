import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { newWake, PRIORITIES, type Wake } from '@treeos/core'
import {
  closeEntries,
  countChain,
  countOpen,
  countOwnWakes,
  type Db,
  enqueue,
  findEntry,
  findLease,
  findOutcomeOfWake,
  findReply,
  findTokenBySecret,
  findTokenOf,
  listChain,
  listEntries,
  listFactsAfter,
  listFactsOfMoment,
  listOpenSummons,
  listOutcomes,
  listThreadsOfChannel,
  measureRoom,
  readHeads,
  readRows,
  threadOf,
  withdraw,
} from '@treeos/store'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { putWake } from '../support/wakes.ts'

// A long run: INJECTIONS=20000 npx pnpm@12.21.0 exec vitest run --project services test/store/injection
const CALLS = Number(process.env.INJECTIONS ?? 2_000)
/** In each text, so that the server's log shows whether a statement contained one. */
const MARK = `w4-${randomUUID().slice(0, 8)}`

const PIECES = [
  `'`,
  `''`,
  `"`,
  '`',
  `\\`,
  `\\'`,
  `;`,
  `--`,
  `/*`,
  `*/`,
  `$$`,
  `$1`,
  `%`,
  `_`,
  `)`,
  `' or '1'='1`,
  `' or 1=1 --`,
  `'; drop table treeos.inbox; --`,
  `' union select id, being from treeos.token --`,
  `1; select pg_sleep(5)`,
  `' || (select secret_hash from treeos.token limit 1) || '`,
  `{"$ne":null}`,
  `x' and 1=cast((select current_user) as int) --`,
  `\u2019 or 1=1`,
  `ʼ; select 1`,
  `E'\\x27'`,
  `:name`,
  `@>`,
  `{a,b}`,
  `NULL`,
]
/** Postgres stores neither NUL nor half a surrogate pair; both are refused before they reach it. */
const text = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...PIECES) },
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((pieces) => `${pieces.join('')}${MARK}`.replaceAll('\0', ''))
const TEXTS = [...new Set(fc.sample(text, { numRuns: 120, seed: 11 }))]
/** Only every second one was ever written. */
const isWritten = (i: number): boolean => i % 2 === 0

const base = useDatabase()
/** what was written, in order: the oracle */
const wakes: Wake[] = []
beforeAll(async () => {
  await sql`insert into treeos.projection (key, reel, state, folded_seq, parent, cognition)
    values ('being:operator', 'being:operator', '{}', 1, null, 'human')`.execute(base.owner)
  for (const [i, one] of TEXTS.entries()) {
    if (!isWritten(i)) continue
    const other = TEXTS[(i + 2) % TEXTS.length] as string
    const wake = newWake({
      id: one,
      being: one,
      kind: 'summon',
      priority: PRIORITIES.interactive,
      caller: { name: other, role: one, cognition: 'human' },
      content: { said: one },
      root: one,
      inReplyTo: other,
      channel: one,
    })
    await putWake(base.owner, wake)
    wakes.push(wake)
    await sql`insert into treeos.projection (key, reel, state, folded_seq) values
      (${`matter:${one}`}, ${`matter:${one}`}, ${JSON.stringify({ said: one })}, 1)`.execute(base.owner)
  }
})

const only = (holds: (wake: Wake) => boolean) => wakes.filter(holds).map(({ id }) => id)
const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id)
const SAID = (one: string) => wakes.some(({ id }) => id === one)

/** Each query that takes a text, as it answers, and what the oracle says. */
const QUERIES: Readonly<
  Record<
    string,
    {
      readonly ask: (db: Db, one: string, other: string) => Promise<unknown>
      readonly told: (one: string, other: string) => unknown
    }
  >
> = {
  findEntry: {
    ask: async (db, one) => (await findEntry(db, one))?.content ?? null,
    told: (one) => wakes.find(({ id }) => id === one)?.content ?? null,
  },
  findEntries: {
    ask: async (db, one, other) => [...(await listEntries(db, [one, other])).keys()].sort(),
    told: (one, other) => only(({ id }) => id === one || id === other).sort(),
  },
  listOpenSummons: {
    ask: async (db, one) => ids(await listOpenSummons(db, one)),
    told: (one) => only(({ being }) => being === one),
  },
  findReply: {
    ask: async (db, one, other) => (await findReply(db, one, other))?.id ?? null,
    told: (one, other) => only(({ being, inReplyTo }) => being === one && inReplyTo === other)[0] ?? null,
  },
  listChain: {
    ask: async (db, one) => ids(await listChain(db, one)),
    told: (one) => only(({ root }) => root === one),
  },
  measureRoom: {
    ask: (db, one, other) => measureRoom(db, one, other),
    told: (one, other) => ({
      open: only(({ being }) => being === one).length,
      ofSender: only(({ being, caller }) => being === one && caller?.name === other).length,
    }),
  },
  countOpen: { ask: countOpen, told: (one) => only(({ being }) => being === one).length },
  countOwnWakes: {
    ask: (db, one, other) => countOwnWakes(db, one, other, ['idle/']),
    told: () => 0,
  },
  countChain: {
    ask: (db, one) => countChain(db, one, 9),
    told: (one) => only(({ root }) => root === one).length,
  },
  threadOf: {
    ask: async (db, one) => (await threadOf(db, one))?.thread ?? null,
    told: (one) => (SAID(one) ? one : null),
  },
  listThreadsOfChannel: {
    ask: async (db, one) => (await listThreadsOfChannel(db, one, 9)).map(({ thread }) => thread),
    told: (one) => (SAID(one) ? [one] : []),
  },
  readRows: {
    ask: async (db, one) =>
      (await readRows(db, base.reality.id, [`matter:${one}`])).map(({ state }) => state),
    told: (one) => [SAID(one) ? { said: one } : null],
  },
  readHeads: {
    ask: async (db, one) => (await readHeads(db, base.reality.id, [`matter:${one}`])).map(({ seq }) => seq),
    told: () => [0],
  },
  listFactsAfter: { ask: (db, one) => listFactsAfter(db, `space:${one}`, 0, 9), told: () => [] },
  listFactsOfMoment: { ask: listFactsOfMoment, told: () => [] },
  listOutcomes: { ask: (db, one) => listOutcomes(db, one), told: () => [] },
  readOutcomeOfWake: { ask: findOutcomeOfWake, told: () => null },
  findTokenOf: { ask: (db, one, other) => findTokenOf(db, one, other), told: () => null },
  findTokenBySecret: { ask: findTokenBySecret, told: () => null },
  findLease: { ask: findLease, told: () => null },
  closeEntries: {
    ask: (db, one, other) => closeEntries(db, `nobody ${one}`, [other], 'dismissed'),
    told: () => 0,
  },
}

/** How often the server's log quotes one of the texts; null when the log is not ours to read. */
async function quotedInLog(mark: string): Promise<number | null> {
  const log = inject('postgresLog')
  return log === null ? null : (await readFile(log, 'utf8')).split(mark).length - 1
}

const pairs = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, i) => [
    TEXTS[i % TEXTS.length] as string,
    TEXTS[(i * 7 + Math.floor(i / TEXTS.length)) % TEXTS.length] as string,
  ])

describe('a text in a query is a value', () => {
  const each = Math.ceil(CALLS / Object.keys(QUERIES).length)
  it.each(Object.entries(QUERIES))(
    `%s answers as an oracle in memory does (${each} pairs of texts)`,
    {
      timeout: 600_000,
    },
    async (_name, { ask, told }) => {
      for (const [one, other] of pairs(each))
        expect(await ask(base.people, one, other), one).toEqual(told(one, other))
    },
  )

  it('and so it is where it is written', async () => {
    for (const one of TEXTS) {
      const id = `act/${one.replaceAll('/', '|')}`
      const act = newWake({
        id,
        being: 'operator',
        kind: 'act',
        priority: PRIORITIES.human,
        content: { [one]: one },
      })
      expect(await enqueue(base.people, 'act', act)).toBe(true)
      expect((await findEntry(base.db, id))?.content).toEqual({ [one]: one })
      expect(await withdraw(base.people, act)).toBe(true)
    }
    expect(await base.db.selectFrom('inbox').select('id').execute()).toHaveLength(wakes.length + TEXTS.length)
  })

  it('so no statement that Postgres refused contains one', async () => {
    expect(await quotedInLog(MARK)).toBe(inject('postgresLog') === null ? null : 0)
  })

  it('control: in a statement that is put together, the same texts are found in other rows, and in the log', async () => {
    const [mark, answers] = [`${MARK}-control`, new Set<string>()]
    for (const one of TEXTS) {
      const statement = `select count(*)::int as n from treeos.inbox where id = '${one.replaceAll(MARK, mark)}'`
      const outcome = await sql
        .raw<{ n: number }>(statement)
        .execute(base.db)
        .then(
          ({ rows }) => (rows[0]?.n === 0 ? 'as the oracle' : 'other rows'),
          () => 'syntax error',
        )
      answers.add(outcome)
    }
    expect([...answers].sort()).toEqual(['as the oracle', 'other rows', 'syntax error'])
    if (inject('postgresLog') !== null) expect(await quotedInLog(mark)).toBeGreaterThan(10)
  })
})
