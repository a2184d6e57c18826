/** Beings with budgets, for tests that reserve and settle. */
import { type Account, type JsonObject, momentId } from '@treeos/core'
import { append, beginLife, type CallAttempt, type RowWrite, reserve } from '@treeos/store'
import { type TestDatabase, useDatabase } from '../support/database.ts'
import { batchOf } from './batch.ts'

export let base: TestDatabase
/** Each file calls it: files of one process share this module, and each has a database of its own. */
export function useBudgets(): void {
  base = useDatabase({ poolMax: 8 })
}

let count = 0
/** A number that no other name of this file has. */
export const freshCount = () => ++count
export const fresh = (name: string) => `${name}-${freshCount()}`

const NONE: Account = {
  revision: 0,
  momentsPerMinute: null,
  tokens: null,
  micros: null,
  per: 'total',
  parked: null,
}

/** Appends a being with this maker and account; a second call changes it. */
export async function being(
  name: string,
  parent: string | null,
  account: Partial<Account> = {},
  cognition: 'llm' | 'human' = 'llm',
): Promise<void> {
  const row: RowWrite = {
    key: `being:${name}`,
    reel: `being:${name}`,
    state: {},
    foldedSeq: 1,
    place: '/',
    parent,
    cognition,
    watches: null,
    account: { ...NONE, ...account },
  }
  await append(base.owner, await batchOf(base.db, base.reality, { rows: [row] }))
  await beginLife(base.db, base.reality.id, name, 'run-1')
}

/** Writes the standard budget of LLM beings into the row of the root space. */
export async function standard(llm: JsonObject): Promise<void> {
  const row: RowWrite = {
    key: 'space:/',
    reel: 'space:/',
    state: { qualities: { budget: { llm } } },
    foldedSeq: 1,
    place: null,
    parent: null,
    cognition: null,
    watches: null,
    account: null,
  }
  await append(base.owner, await batchOf(base.db, base.reality, { rows: [row] }))
}

export const attemptOf = (name: string, n = 1, attempt = 1): CallAttempt => ({
  being: name,
  moment: momentId(name, 1, n),
  attempt,
})
export const cost = (tokens: number, micros: number | null = 0) => ({ tokens, micros })
export const ask = async (at: CallAttempt, tokens: number, micros: number | null = 0) =>
  (await reserve(base.db, at, cost(tokens, micros))).status
export const accountOf = async (name: string) => {
  const row = await base.db.selectFrom('account').selectAll().where('being', '=', name).executeTakeFirst()
  if (row === undefined) throw new Error(`${name} has no account`)
  return row
}
export const closeMoment = async (name: string, n = 1, wake: string | null = null) =>
  append(
    base.owner,
    await batchOf(base.db, base.reality, { moment: { being: name, generation: 1, n }, outcome: { wake } }),
  )
