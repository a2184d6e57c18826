import { readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'

/** The functions of the schema, each in `functions/<name>.sql`. A file always holds what the newest release runs. */
export const FUNCTIONS = [
  'ledger/append',
  'ledger/erase',
  'ledger/erase-fact',
  'ledger/erase-moment',
  'ledger/genesis',
  'ledger/hold',
  'ledger/json-of',
  'ledger/keep-children',
  'ledger/keep-journal',
  'ledger/lock-heads',
  'ledger/refuse-change',
  'ledger/refuse-untold',
  'ledger/write-facts',
  'ledger/write-rows',
  'rows/read-set',
  'inbox/begin-life',
  'inbox/claim',
  'inbox/close-entries',
  'inbox/count-waiting',
  'inbox/has-ended',
  'inbox/has-schedule',
  'inbox/keep-watches',
  'inbox/enqueue',
  'inbox/living',
  'inbox/release-delayed',
  'inbox/wake-watchers',
  'inbox/wakes',
  'inbox/withdraw',
  'inbox/write-inbox',
  'inbox/write-notices',
  'moments/check-opening',
  'moments/claim-and-read',
  'moments/close-moment',
  'moments/keep-fault',
  'moments/record-effect',
  'moments/record-effect-result',
  'moments/refuse-second-result',
  'moments/write-moment',
  'budgets/held-by',
  'budgets/is-hurried',
  'budgets/is-paced',
  'budgets/is-parked',
  'budgets/keep-accounts',
  'budgets/keep-budgets',
  'budgets/line-of',
  'budgets/lock-accounts',
  'budgets/reserve',
  'budgets/settle',
  'budgets/settle-locked',
  'budgets/standard',
  'budgets/take-pace',
  'access/delete-overlay',
  'access/issue-token',
  'access/keep-leases',
  'access/lease-holds',
  'access/may-set-overlay',
  'access/only-revoke-tokens',
  'access/renew-lease',
  'access/revoke-token',
  'access/set-overlay',
] as const

/** `.sql` files lie beside this module, in `src` and in `dist` alike: the build copies them. */
const urlOf = (name: string): URL => new URL(`./${name}.sql`, import.meta.url)

/** @param name path of a `.sql` file from this folder, without the ending */
export async function runSqlFile(db: Kysely<unknown>, name: string): Promise<void> {
  await sql.raw(await readFile(urlOf(name), 'utf8')).execute(db)
}
