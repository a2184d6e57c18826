import { type Account, momentId } from '@treeos/core'
import {
  type CallAttempt,
  countPaced,
  countParked,
  listUnclaimed,
  measureInboxes,
  reserve,
  settle,
} from '@treeos/store'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { IS_NIGHT } from '../support/night.ts'
import { claimId, putWake } from '../support/wakes.ts'
import { wakeFor } from './batch.ts'
import {
  accountOf,
  ask,
  attemptOf,
  base,
  being,
  closeMoment,
  cost,
  fresh,
  standard,
  useBudgets,
} from './budget-world.ts'

useBudgets()

describe('the beings of one person', () => {
  const [first, ann, ben] = ['first', 'ann', 'ben']
  const born = async (whose: string, count: number, account: Partial<Account> = {}) => {
    const names = Array.from({ length: count }, () => fresh('kid'))
    for (const name of names) await being(name, whose, account)
    return names
  }
  const askEach = (names: readonly string[], tokens: number, n = 1) =>
    Promise.all(names.map((name) => ask(attemptOf(name, n), tokens)))
  const reservedIn = (answers: readonly string[]) => answers.filter((status) => status === 'reserved').length

  it('draw on one allowance: however many there are, they use no more together', async () => {
    await being(first, null, {}, 'human')
    await being(ann, first, {}, 'human')
    await being(ben, first, {}, 'human')
    await standard({ tokens: 1000, per: 'day', revision: 1 })
    // Control: without the bound each of 40 has all of its own.
    expect(reservedIn(await askEach(await born(ann, 40), 900))).toBe(40)
    await standard({ tokens: 1000, tokensPerPerson: 3000, per: 'day', revision: 2 })
    const kids = await born(ann, 40)
    const asked = await askEach(kids, 900)
    expect(reservedIn(asked)).toBe(3)
    // Of its line, however deep.
    const maker = kids[asked.indexOf('reserved')] ?? ''
    const grandchildren = await born(maker, 5)
    expect(reservedIn(await askEach(grandchildren, 301))).toBe(0)
    expect(await reserve(base.db, attemptOf(grandchildren[0] ?? ''), cost(301))).toMatchObject({
      breach: { of: maker, limit: 'tokens' }, // its maker has used 900 of 1000
    })
    const late = await born(ann, 1)
    expect(await reserve(base.db, attemptOf(late[0] ?? ''), cost(301))).toEqual({
      status: 'breach',
      breach: {
        ...{ of: ann, revision: -2, limit: 'tokens', per: 'day', max: 3000, used: 2700, needs: 301 },
        until: expect.any(Number),
      },
    })
    // Another person has an allowance of its own.
    expect(reservedIn(await askEach(await born(ben, 2), 900))).toBe(2)
  })

  it('that a person gave a budget of their own draw on it too; what the first operator gave one does not', async () => {
    await standard({ tokens: 1000, tokensPerPerson: 3000, per: 'day', revision: 3 })
    await being('eve', first, {}, 'human')
    expect(reservedIn(await askEach(await born('eve', 5, { revision: 1, tokens: 100_000 }), 2000))).toBe(1)
    expect(reservedIn(await askEach(await born(first, 5, { revision: 1, tokens: 100_000 }), 2000))).toBe(5)
  })

  it('of a person with a budget of its own are bounded by that instead', async () => {
    await being('fay', first, { revision: 1, tokens: 100_000 }, 'human')
    expect(reservedIn(await askEach(await born('fay', 10), 900))).toBe(10)
  })

  it('draw ahead of their use, so that few calls touch what they share', async () => {
    await standard({ tokens: 1_000_000, tokensPerPerson: 2_000_000, per: 'day', revision: 4 })
    await being('gus', first, {}, 'human')
    const [kid = ''] = await born('gus', 1)
    const drawnIn = async () => {
      const drawn = new Set<number>()
      for (let n = 1; n <= 64; n++) {
        expect(await ask(attemptOf(kid, n), 1000)).toBe('reserved')
        await settle(base.db, attemptOf(kid, n), cost(1000))
        const row = await base.db
          .selectFrom('allowance')
          .selectAll()
          .where('person', '=', 'gus')
          .executeTakeFirst()
        drawn.add(Number(row?.drawn_tokens))
      }
      return [...drawn]
    }
    expect(await drawnIn()).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 64000])
    await standard({ tokens: 1_000_000, per: 'day', revision: 5 })
  })
})

describe('a reservation', () => {
  it('counts on every limited being up the birth chain, and is replaced by what the call cost', async () => {
    const [top, middle, child] = [fresh('top'), fresh('middle'), fresh('child')]
    await being(top, null, { revision: 1, tokens: 1000 })
    await being(middle, top)
    await being(child, middle, { revision: 1, tokens: 500, micros: 70 })
    expect(await ask(attemptOf(child), 400, 60)).toBe('reserved')
    expect(await accountOf(top)).toMatchObject({ total_tokens: 400, reserved_tokens: 400, total_micros: 60 })
    await settle(base.db, attemptOf(child), cost(123, 20))
    expect(await accountOf(top)).toMatchObject({ total_tokens: 123, reserved_tokens: 0, total_micros: 20 })
    expect(await accountOf(child)).toMatchObject({ total_tokens: 123, day_tokens: 123, reserved_micros: 0 })
    expect(await reserve(base.db, attemptOf(child, 2), cost(1, 51))).toEqual({
      status: 'breach',
      breach: {
        of: child,
        revision: 1,
        limit: 'money',
        per: 'total',
        max: 0.00007,
        used: 0.00002,
        needs: 0.000051,
        until: null,
      },
    })
  })

  it('of a being without an account is bounded by the standard budget, and free where that limits nothing', async () => {
    const name = fresh('stranger')
    await being(name, null)
    expect(await ask(attemptOf(name), 1_000_001)).toBe('breach')
    expect(await ask(attemptOf(name), 1_000_000)).toBe('reserved')
    expect(await ask(attemptOf(name, 2), 1)).toBe('waits')
    await settle(base.db, attemptOf(name), cost(999_999))
    expect(await ask(attemptOf(name, 2), 1)).toBe('reserved')
    expect(await accountOf(name)).toMatchObject({ revision: 0, day_tokens: 1_000_000, tokens_max: null })
    await standard({ per: 'day', revision: 1 })
    expect(await ask(attemptOf(fresh('stranger')), 1_000_000_000)).toBe('free')
    expect(await ask(attemptOf(name, 3), 1_000_000_000)).toBe('reserved') // counted, and bounded by nothing
    await standard({ tokens: 1_000_000, per: 'day', revision: 2 })
  })

  it('waits when calls under way may free enough, and breaks the limit when they cannot', async () => {
    const [top, a, b] = [fresh('top'), fresh('a'), fresh('b')]
    await being(top, null, { revision: 1, tokens: 1000 })
    await being(a, top)
    await being(b, top)
    expect(await ask(attemptOf(a), 1000)).toBe('reserved')
    expect(await ask(attemptOf(b), 1)).toBe('waits')
    expect(await ask(attemptOf(b), 1001)).toBe('breach')
    await settle(base.db, attemptOf(a), cost(999))
    expect(await ask(attemptOf(b), 2)).toBe('breach')
    expect(await ask(attemptOf(b), 1)).toBe('reserved')
  })

  it('is made once for each attempt; the next attempt or the closing settles a forgotten one in full', async () => {
    const name = fresh('lone')
    await being(name, null, { revision: 1, tokens: 1000 })
    expect(await ask(attemptOf(name), 100)).toBe('reserved')
    expect(await ask(attemptOf(name), 100)).toBe('reserved')
    expect(await accountOf(name)).toMatchObject({ total_tokens: 100 })
    expect(await ask(attemptOf(name, 1, 2), 200)).toBe('reserved')
    expect(await accountOf(name)).toMatchObject({ total_tokens: 300, reserved_tokens: 200 })
    await settle(base.db, attemptOf(name), cost(1)) // the first attempt was only slow
    expect(await accountOf(name)).toMatchObject({ total_tokens: 300, reserved_tokens: 200 })
    expect(await ask(attemptOf(name), 100)).toBe('over')
    await closeMoment(name)
    expect(await accountOf(name)).toMatchObject({ total_tokens: 300, reserved_tokens: 0 })
    expect(await ask(attemptOf(name, 1, 3), 1)).toBe('over')
  })

  it('counts towards the limit of its day only, and towards the total', async () => {
    const name = fresh('daily')
    await being(name, null, { revision: 1, tokens: 100, per: 'day' })
    expect(await ask(attemptOf(name), 100)).toBe('reserved')
    const late = await reserve(base.db, attemptOf(name, 2), cost(101))
    expect(late).toMatchObject({ status: 'breach', breach: { per: 'day', until: expect.any(Number) } })
    if ('breach' in late) expect(late.breach.until! - Date.now()).toBeLessThanOrEqual(25 * 3_600_000)
    await sql`update treeos.account set day = day - 1 where being = ${name}`.execute(base.owner)
    await sql`update treeos.reservation set day = day - 1 where moment like ${`${name}/%`}`.execute(
      base.owner,
    )
    expect(await ask(attemptOf(name, 2), 60)).toBe('reserved')
    await settle(base.db, attemptOf(name), cost(0)) // yesterday's
    expect(await accountOf(name)).toMatchObject({ day_tokens: 60, total_tokens: 60, reserved_tokens: 60 })
  })

  it('without a price is refused where money is limited, and costs nothing elsewhere', async () => {
    const [rich, poor] = [fresh('rich'), fresh('poor')]
    await being(rich, null, { revision: 1, tokens: 100 })
    await being(poor, null, { revision: 1, micros: 1_000_000 })
    expect(await ask(attemptOf(rich), 10, null)).toBe('reserved')
    expect(await reserve(base.db, attemptOf(poor), cost(10, null))).toMatchObject({
      status: 'breach',
      breach: { limit: 'money', max: 1, needs: null },
    })
  })
})

/**
 * Accounts of a being and of its maker: limits of their own, or those of the standard budget (revision 0), or
 * no account.
 */
const account = fc.option(
  fc.record({
    revision: fc.constantFrom(0, 1),
    tokens_max: fc.option(fc.integer({ min: 0, max: 300 })),
    micros_max: fc.option(fc.integer({ min: 0, max: 300 })),
    per: fc.constantFrom('day', 'total'),
    day: fc.constantFrom('today', 'yesterday', null),
    day_tokens: fc.integer({ min: 0, max: 200 }),
    day_micros: fc.integer({ min: 0, max: 200 }),
    total_tokens: fc.integer({ min: 200, max: 400 }),
    total_micros: fc.integer({ min: 200, max: 400 }),
    reserved_tokens: fc.integer({ min: 0, max: 100 }),
  }),
  { freq: 2 },
)
const usual = fc.record(
  { tokens: fc.integer({ min: 1, max: 300 }), money: fc.constantFrom(0.0001, 0.0003) },
  { requiredKeys: [] },
)

describe('the first reservation of a moment', () => {
  /** Reserves by a function, and undoes it. @returns its answer, and what it wrote */
  async function tried(
    by: 'reserve' | 'reserve_first',
    at: CallAttempt,
    accounts: Record<string, object>,
    need: [number, number | null],
  ) {
    const undo = new Error('undone')
    let seen: unknown
    await base.owner
      .transaction()
      .execute(async (tx) => {
        for (const [being, { day, ...of }] of Object.entries(accounts) as [string, { day: string | null }][])
          await tx
            .insertInto('account')
            .values({
              being,
              ...of,
              day: day === null ? null : sql`current_date - ${day === 'today' ? 0 : 1}::integer`,
            } as never)
            .onConflict((row) => row.column('being').doUpdateSet({ ...of, day: sql`excluded.day` } as never))
            .execute()
        const { rows } =
          await sql`select ${sql.raw(`treeos.${by}`)}(${at.being}, ${at.moment}, ${at.attempt}::integer,
          ${need[0]}::bigint, ${need[1]}::bigint) as answer`.execute(tx)
        const left = await tx
          .selectFrom('account')
          .selectAll()
          .where('being', 'in', Object.keys(accounts))
          .orderBy('being')
          .execute()
        const made = await tx
          .selectFrom('reservation')
          .select(['attempt', 'day', 'accounts', 'tokens', 'micros'])
          .where('moment', '=', at.moment)
          .execute()
        seen = { rows, left, made: made.map((one) => ({ ...one, accounts: one.accounts.toSorted() })) }
        throw undo
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error
      })
    return seen as { rows: { answer: { status: string } }[] }
  }

  it('is what reserve would say and write, in fewer statements', { timeout: 120_000 }, async () => {
    const statuses = new Set<string>()
    const [maker, child] = [fresh('maker'), fresh('child')]
    await being(maker, null)
    await being(child, maker)
    await sql`delete from treeos.account where being in (${maker}, ${child})`.execute(base.owner)
    await fc.assert(
      fc.asyncProperty(
        account,
        account,
        usual,
        fc.tuple(fc.integer({ min: 0, max: 300 }), fc.option(fc.integer({ min: 0, max: 300 }))),
        async (ofMaker, ofChild, llm, need) => {
          await standard({ ...llm, per: 'day', revision: 3 })
          const accounts = {
            ...(ofMaker === null ? {} : { [maker]: ofMaker }),
            ...(ofChild === null ? {} : { [child]: ofChild }),
            [fresh('nobody')]: { revision: 0, per: 'day', day: null },
          }
          const at = attemptOf(child)
          const [first, general] = [
            await tried('reserve_first', at, accounts, need),
            await tried('reserve', at, accounts, need),
          ]
          expect(first).toEqual(general)
          statuses.add(String(first.rows[0]?.answer.status))
        },
      ),
      { numRuns: IS_NIGHT ? 600 : 200 },
    )
    expect([...statuses].sort()).toEqual(['breach', 'free', 'reserved', 'waits'])
    await standard({ tokens: 1_000_000, per: 'day', revision: 2 })
  })
})

describe('a being that met a limit', () => {
  const claim = (name: string, n = 1) => claimId(base.db, base.reality.id, momentId(name, 1, n))
  const unrung = async (name: string) => (await listUnclaimed(base.db, -60, 1000)).includes(name)

  it('claims nothing while it is parked, until the budget changes or its day ends', async () => {
    const [top, child] = [fresh('top'), fresh('child')]
    await being(top, null, { revision: 3, tokens: 10 })
    const parked = { of: top, revision: 3, until: null }
    await being(child, top, { parked })
    await putWake(base.owner, wakeFor(child, fresh('wake')))
    const wake = fresh('wake')
    await putWake(base.owner, wakeFor(child, wake))
    const { waiting } = await measureInboxes(base.db)
    expect([await claim(child), await unrung(child), await countParked(base.db)]).toEqual([null, false, 1])
    await being(top, null, { revision: 4, tokens: 20 })
    expect([await unrung(child), await countParked(base.db)]).toEqual([true, 0])
    expect((await measureInboxes(base.db)).waiting).toBe(waiting + 2)
    expect(await claim(child)).not.toBeNull()

    await being(child, top, { parked: { ...parked, revision: 4, until: Date.now() + 60_000 } })
    expect(await claim(child, 2)).toBeNull()
    expect(await claim(child)).not.toBeNull() // a moment keeps the wake that it has claimed
    await being(child, top, { parked: { ...parked, revision: 4, until: Date.now() - 1 } })
    expect(await claim(child, 2)).toBe(wake)
  })

  it('opens as many moments a minute as all budgets above it allow, and the rest later', async () => {
    const [top, a, b] = [fresh('top'), fresh('a'), fresh('b')]
    await being(top, null, { revision: 1, momentsPerMinute: 3 })
    await being(a, top, { revision: 1, momentsPerMinute: 2 })
    await being(b, top)
    for (const name of [a, a, a, b, b, b]) await putWake(base.owner, wakeFor(name, fresh('wake')))
    const minute = async (from: number) =>
      Promise.all([from, from + 1, from + 2].flatMap((n) => [claim(a, n), claim(b, n)]))
    const paced = await countPaced(base.db)
    await onTheMinute()
    const first = (await minute(1)).filter((wake) => wake !== null)
    expect(first).toHaveLength(3)
    expect([await unrung(a), await unrung(b)]).toEqual([false, false])
    expect(await countPaced(base.db)).toBe(paced + 3)
    await sql`update treeos.account set minute = minute - interval '1 minute' where being in (${top}, ${a})`.execute(
      base.owner,
    )
    expect(await unrung(b)).toBe(true)
    expect(await countPaced(base.db)).toBe(paced)
    const second = (await minute(4)).filter((wake) => wake !== null)
    expect(second).toHaveLength(3)
    expect(new Set([...first, ...second]).size).toBe(6)
  })
})

/** Counting to three within one minute of the clock. */
async function onTheMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 5000) await new Promise((resolve) => setTimeout(resolve, left + 50))
}

it('a worker cannot write accounts, reservations or parkings directly', async () => {
  for (const table of ['account', 'reservation', 'parking'])
    await expect(sql`delete from ${sql.table(`treeos.${table}`)}`.execute(base.db)).rejects.toThrow(
      /permission denied/,
    )
  for (const call of [
    'write_accounts(null)',
    `release_unsure('')`,
    `settle_locked('', 1, 0, 0)`,
    `take_pace('')`,
  ])
    await expect(sql`select treeos.${sql.raw(call)}`.execute(base.db)).rejects.toThrow(/permission denied/)
})
