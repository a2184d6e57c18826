import { asJson, type Digest } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** Which arguments an operation seals, and which it takes, by their names. */
export interface SealingArguments {
  readonly seals: readonly string[]
  readonly takes: readonly string[]
}

/** What a worker has loaded of one extension. */
export interface LoadedVersion {
  readonly version: string
  /** of all that the extension brings: its roles, and what `code` is of */
  readonly digest: Digest
  /** of its part of the manifest that records name */
  readonly code: Digest
  /**
   * of each operation, where one of them seals texts; empty where none does; left out by an older worker,
   * which does not tell it
   */
  readonly sealing?: Readonly<Record<string, SealingArguments>>
}

export interface LiveWorker {
  readonly id: string
  /** by extension */
  readonly codes: Readonly<Record<string, LoadedVersion>>
  /** ms since 1970 UTC */
  readonly startedAt: number
}

/** After this time without a renewal a worker counts as dead. */
const SILENCE_SECONDS_MAX = 15
const LATER = sql`pg_catalog.clock_timestamp() + make_interval(secs => ${SILENCE_SECONDS_MAX})`

/** Says that a worker takes moments, until it is silent. Forgets those that have been silent for an hour. */
export async function announceWorker(db: Db, { id, codes }: Omit<LiveWorker, 'startedAt'>): Promise<void> {
  await sql`
    with gone as (delete from treeos.worker where expires < pg_catalog.clock_timestamp() - interval '1 hour')
    insert into treeos.worker (id, codes, expires) values (${id}, ${JSON.stringify(asJson(codes))}::jsonb, ${LATER})
    on conflict (id) do update set codes = excluded.codes, expires = excluded.expires`.execute(db)
}

export async function forgetWorker(db: Db, id: string): Promise<void> {
  await db.deleteFrom('worker').where('id', '=', id).execute()
}

/** The workers that live, the last started first. */
export async function listWorkers(db: Db): Promise<LiveWorker[]> {
  const { rows } = await sql<{ id: string; codes: LiveWorker['codes']; started: Date }>`
    select id, codes, started from treeos.worker where expires > pg_catalog.clock_timestamp()
    order by started desc, id`.execute(db)
  return rows.map(({ id, codes, started }) => ({ id, codes, startedAt: started.getTime() }))
}
