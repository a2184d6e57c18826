import { append, type Db, listenToJournal, readJournal, waitForOpenAppends } from '@treeos/store'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { until } from '../support/life.ts'
import { batchOf, changed } from './batch.ts'

const base = useDatabase()

const write = async (db: Db, reel: string) =>
  append(db, await batchOf(db, base.reality, { drafts: [changed(reel)] }))
const newest = async () => (await readJournal(base.db, Number.MAX_SAFE_INTEGER, 1)).newest
const reelsAfter = async (entry: number) =>
  (await readJournal(base.db, entry, 100)).entries.map(({ facts }) => facts.map(({ reel }) => reel))

/** An append that has written everything and commits, or rolls back, when it is told to. */
async function appendUnderWay(reel: string) {
  const [written, end] = [Promise.withResolvers<void>(), Promise.withResolvers<'commit' | 'roll back'>()]
  const done = base.owner.transaction().execute(async (tx) => {
    await write(tx, reel)
    written.resolve()
    if ((await end.promise) === 'roll back') throw new Error('rolled back')
  })
  done.catch(() => undefined)
  await written.promise
  return (how: 'commit' | 'roll back') => {
    end.resolve(how)
    return done.catch(() => undefined)
  }
}

/** Counts the notices of the database. With `follows` it holds the lock of a follower. */
async function eavesdrop({ follows }: { follows: boolean }) {
  const client = new pg.Client(base.url)
  let notices = 0
  client.on('notification', () => (notices += 1))
  await client.connect()
  await client.query('listen treeos_journal')
  if (follows) await client.query('select pg_advisory_lock_shared(1953654117, 2)')
  const count = async () => {
    await client.query('select') // what was sent before has now arrived
    return notices
  }
  return { count, end: () => client.end() }
}

describe('the journal', () => {
  it('has one entry for each append, with its facts in their order', async () => {
    const before = await newest()
    await append(
      base.owner,
      await batchOf(base.db, base.reality, {
        drafts: [changed('space:/b'), changed('space:/a'), changed('space:/b')],
      }),
    )
    const { entries } = await readJournal(base.db, before, 10)
    expect(entries).toEqual([
      {
        entry: before + 1,
        moment: null,
        facts: [
          { reel: 'space:/b', seq: 1 },
          { reel: 'space:/a', seq: 1 },
          { reel: 'space:/b', seq: 2 },
        ],
      },
    ])
  })

  it('has no entry for an append that was refused', async () => {
    const stale = await batchOf(base.db, base.reality, { drafts: [changed('space:/stale')] })
    await append(base.owner, stale)
    const before = await newest()
    expect(await append(base.owner, stale)).toMatchObject({ status: 'stale' })
    expect(await newest()).toBe(before)
  })

  it('shows a later entry before an earlier one that is still under way, so a reader must settle it first', async () => {
    const before = await newest()
    const end = await appendUnderWay('space:/first')
    await write(base.owner, 'space:/second')
    // a reader that went on from here would lose the first
    expect(await reelsAfter(before)).toEqual([['space:/second']])
    let settled = false
    const settling = waitForOpenAppends(base.db).then(() => {
      settled = true
    })
    await write(base.owner, 'space:/third')
    expect(settled).toBe(false)
    await end('commit')
    await settling
    expect(await reelsAfter(before)).toEqual([['space:/first'], ['space:/second'], ['space:/third']])
  })
})

describe('an append notifies', () => {
  it('nobody while nobody follows', async () => {
    const ear = await eavesdrop({ follows: false })
    await write(base.owner, 'space:/quiet')
    expect(await ear.count()).toBe(0)
    await ear.end()
  })

  it('at its commit while somebody follows, one of several at once for all of them', async () => {
    const ear = await eavesdrop({ follows: true })
    await write(base.owner, 'space:/heard')
    expect(await ear.count()).toBe(1)
    const end = await appendUnderWay('space:/teller')
    await write(base.owner, 'space:/told-by-the-other')
    expect(await ear.count()).toBe(1)
    await end('commit')
    expect(await ear.count()).toBe(2)
    await ear.end()
  })

  it('a listener, until it is closed', async () => {
    let heard = 0
    const listener = listenToJournal(base.url)
    listener.subscribe(() => (heard += 1))
    await listener.ready
    const before = heard
    await write(base.owner, 'space:/listened')
    await until(() => heard > before)
    await listener.close()
    const ear = await eavesdrop({ follows: false })
    await write(base.owner, 'space:/alone')
    expect(await ear.count()).toBe(0)
    await ear.end()
  })
})
