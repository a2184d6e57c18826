import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

const FUNCTIONS = ['erase-fact', 'erase-moment', 'erase', 'refuse-untold', 'append']

/**
 * What a fact, a decision or an effect says can be erased, by an append that brings a tombstone. Triggers let nobody delete any of it
 * otherwise.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of FUNCTIONS) await runSqlFile(db, `functions/ledger/${name}`)
  const statements = [
    `create index fact_erased on treeos.fact (reel, seq) where kind in ('fact:erased', 'moment:erased')`,
    ...['payload', 'moment_decision', 'moment_effect'].map(
      (table) => `create trigger ${table}_erased before delete on treeos.${table}
        for each row execute function treeos.refuse_untold()`,
    ),
    'drop trigger moment_effect_stays on treeos.moment_effect',
    `create trigger moment_effect_stays before truncate on treeos.moment_effect
      for each statement execute function treeos.refuse_change()`,
    'drop trigger moment_outcome_fixed on treeos.moment_outcome',
    `create trigger moment_outcome_fixed before delete or truncate on treeos.moment_outcome
      for each statement execute function treeos.refuse_change()`,
    `create trigger moment_outcome_erased before update on treeos.moment_outcome
      for each row execute function treeos.refuse_untold()`,
    'revoke execute on function treeos.erase(jsonb), treeos.erase_fact(text, bigint, bytea), treeos.erase_moment(text, text), treeos.refuse_untold() from public',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
