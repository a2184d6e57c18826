import type { Kysely } from 'kysely'
import { runSqlFile } from '../files.ts'

/** An append answers whether the being listened until then. */
export const up = (db: Kysely<unknown>): Promise<void> => runSqlFile(db, 'functions/ledger/append')
