import { canonicalJson, type ErrorCode, type Json, type MomentId } from '@treeos/core'
import { utf8 } from '../ledger/hash.ts'
import type { Db } from '../sql/database.ts'

/** What an operation asks of the outside world, on whose behalf. */
export interface EffectRequest {
  readonly operation: string
  readonly actor: string
  /** stance, path or address */
  readonly target: string
  readonly args: Json
}

/** What came of it: a value, or a refusal that no further attempt would change. */
export type EffectResult =
  | { readonly value: Json }
  | { readonly error: { readonly code: ErrorCode; readonly message: string } }

export interface StoredEffect {
  readonly request: EffectRequest
  /** null until there is one */
  readonly result: EffectResult | null
}

/** Stores what a moment asks for, unless it has asked already: it asks once. */
export async function recordEffect(db: Db, moment: MomentId, request: EffectRequest): Promise<void> {
  await db
    .insertInto('moment_effect')
    .values({
      moment,
      operation: request.operation,
      request: utf8(canonicalJson(request)),
      result: null,
    })
    .onConflict((conflict) => conflict.column('moment').doNothing())
    .execute()
}

/** Stores what came of it, unless something did before: the first result is the one that counts. */
export async function recordEffectResult(db: Db, moment: MomentId, result: EffectResult): Promise<void> {
  await db
    .updateTable('moment_effect')
    .set({ result: utf8(canonicalJson(result)) })
    .where('moment', '=', moment)
    .where('result', 'is', null)
    .execute()
}

export async function readEffect(db: Db, moment: MomentId): Promise<StoredEffect | null> {
  const row = await db
    .selectFrom('moment_effect')
    .select(['request', 'result'])
    .where('moment', '=', moment)
    .executeTakeFirst()
  if (row === undefined) return null
  const parse = <T>(bytes: Buffer) => JSON.parse(bytes.toString('utf8')) as T
  return { request: parse(row.request), result: row.result === null ? null : parse(row.result) }
}
