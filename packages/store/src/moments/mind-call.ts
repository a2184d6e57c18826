import type { MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** After this time without a renewal the process that makes a call counts as dead. */
const SILENCE_SECONDS_MAX = 12

/** Says that a process makes a call. @returns false when another process that lives has it */
export async function announceCall(db: Db, moment: MomentId, worker: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into treeos.mind_call as c (moment, worker, expires)
    values (${moment}, ${worker}, ${LATER})
    on conflict (moment) do update set worker = excluded.worker, expires = excluded.expires
    where c.worker = excluded.worker or c.expires <= pg_catalog.clock_timestamp()`.execute(db)
  return (numAffectedRows ?? 0n) > 0n
}

/** Says again that a process makes a call. @returns false when the call was ended */
export async function renewCall(db: Db, moment: MomentId, worker: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update treeos.mind_call set expires = ${LATER} where moment = ${moment} and worker = ${worker}`.execute(
    db,
  )
  return (numAffectedRows ?? 0n) > 0n
}

const LATER = sql`pg_catalog.clock_timestamp() + make_interval(secs => ${SILENCE_SECONDS_MAX})`

/** Whether a process that lives makes the call of a moment. */
export async function isCallUnderWay(db: Db, moment: MomentId): Promise<boolean> {
  const { rows } = await sql`
    select from treeos.mind_call where moment = ${moment} and expires > pg_catalog.clock_timestamp()`.execute(
    db,
  )
  return rows.length > 0
}

/**
 * Ends the announcement of a call. The process that makes the call gives it up when it finds that.
 * @param worker only when this process announced it; left out: whoever did
 */
export async function endCall(db: Db, moment: MomentId, worker?: string): Promise<void> {
  const announced = db.deleteFrom('mind_call').where('moment', '=', moment)
  await (worker === undefined ? announced : announced.where('worker', '=', worker)).execute()
}
