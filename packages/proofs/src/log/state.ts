import type { Db } from '@treeos/store'
import { sql } from 'kysely'

export interface LogState {
  /** entries of the log */
  readonly size: number
  /** appends that the sequencer has not taken; some of them may have been rolled back */
  readonly behind: number
  /** number of the newest append */
  readonly newest: number
}

export async function readLogState(db: Db): Promise<LogState> {
  const { rows } = await sql<LogState>`
    select s.size, newest, newest - s.journal as behind
    from treeos.log_state s, treeos.journal_entry_seq j,
      lateral (select case when j.is_called then j.last_value else 0 end as newest) n`.execute(db)
  const [state] = rows
  if (state === undefined)
    throw new Error('the table log_state is empty: the owner of the database emptied it')
  return state
}
