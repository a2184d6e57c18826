/** Somebody has the login of a worker: what the tests of it share. */
import { asJson, newWake } from '@treeos/core'
import { append, beginLife, type Db, type RowWrite, recordOpen, type StoreDb, writeJson } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { type TestDatabase, useDatabase } from '../support/database.ts'
import { claimId, putWake } from '../support/wakes.ts'
import { batchOf, OPENED_AT, wakeFor } from './batch.ts'

/** A moment that a worker has opened in order, for a wake that waits for the being. */
export interface Opened {
  readonly being: string
  readonly generation: number
  readonly n: number
  readonly wake: string
}
export const KID = { being: 'kid', generation: 1, n: 1, wake: 'told-kid' }
export const OPERATOR = { being: 'operator', generation: 1, n: 1, wake: 'act/asked' }
export const CALL = { verb: 'do', operation: 'move', target: '@operator', args: {} }

export const rowOf = (name: string, parent: string | null, cognition: string): RowWrite => ({
  key: `being:${name}`,
  reel: `being:${name}`,
  state: { name, parent, cognition: { kind: cognition, script: null }, qualities: { wake: { idle: 60 } } },
  foldedSeq: 1,
  place: '/',
  parent,
  cognition,
  watches: null,
})
/**
 * A database with a person, its children, a lease, and a moment of each that a worker has opened in order.
 */
export function useOpened(): TestDatabase {
  const base = useDatabase()
  beforeAll(async () => {
    const rows = [
      rowOf('operator', null, 'human'),
      rowOf('kid', 'operator', 'llm'),
      rowOf('ann', 'operator', 'llm'),
      rowOf('grand', 'kid', 'llm'),
    ]
    await append(base.owner, await batchOf(base.owner, base.reality, { rows }))
    await sql`insert into treeos.lease (being, driver, epoch, expires) values ('ann', 'operator', 3, clock_timestamp() + interval '1 hour')`.execute(
      base.owner,
    )
    for (const being of ['kid', 'operator', 'ann']) await beginLife(base.db, base.reality.id, being, 'run-1')
    await putWake(base.owner, wakeFor('kid', KID.wake))
    await putWake(base.owner, wakeFor('ann', 'told-ann'))
    const act = newWake({ id: OPERATOR.wake, being: 'operator', kind: 'act', priority: 1, content: null })
    await putWake(base.owner, { ...act, content: asJson({ call: CALL, answers: null }) })
    for (const at of [KID, OPERATOR]) await open(base, at)
  })
  return base
}

async function open(base: TestDatabase, at: Opened): Promise<void> {
  const moment = `${at.being}/${at.generation}/${at.n}`
  expect(await claimId(base.db, base.reality.id, moment)).toBe(at.wake)
  await recordOpen(base.db, openingOf(at))
}

export const openingOf = ({ being, n, wake, generation }: Opened) => ({
  moment: `${being}/${generation}/${n}`,
  being,
  n,
  wake,
  openedAt: OPENED_AT,
  record: writeJson({}),
  basis: { salt: '', heads: [], noted: null },
  face: null,
})
/** Runs a statement and takes back what it did. @returns its answer, or the code of its error */
export async function attempt<T>(db: Kysely<StoreDb>, run: (tx: Db) => Promise<T>): Promise<T | string> {
  let answer: T | string = ''
  const over = new Error('taken back')
  await db
    .transaction()
    .execute(async (tx) => {
      answer = await run(tx)
      throw over
    })
    .catch((error: { code?: string }) => {
      if (error !== over) answer = error.code ?? String(error)
    })
  return answer
}

/** Counts forgeries, and tells how many got in. */
export function tally(of: string): (answer: unknown) => void {
  const tried = { kinds: 0, in: 0, refused: 0 }
  afterAll(() => console.log(`stolen worker login, ${of}: ${JSON.stringify(tried)}`))
  return (answer) => {
    tried.kinds++
    if (answer === '42501' || answer === 'TR002') tried.refused++
    else tried.in++
  }
}
