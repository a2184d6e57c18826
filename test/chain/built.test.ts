import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ChainDb, migrate, openDatabase } from '@treeos/chain'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { emptyDatabase } from '../support/database.ts'

const packageRoot = join(import.meta.dirname, '../../packages/chain')
const tsdown = join(import.meta.dirname, '../../node_modules/.bin/tsdown')
/** Inside the package, where the built files find its dependencies. */
const outDir = join(packageRoot, `node_modules/.built-${process.pid}`)

beforeAll(() => promisify(execFile)(tsdown, ['--out-dir', outDir, '--no-dts'], { cwd: packageRoot }))
afterAll(() => rm(outDir, { recursive: true, force: true }))

it('the built package makes the same schema as the sources', async () => {
  const built = (await import(join(outDir, 'index.js'))) as { migrate: typeof migrate }
  const catalogs = await Promise.all([migrate, built.migrate].map(catalogAfter))
  expect(catalogs[0]).not.toEqual([])
  expect(catalogs[1]).toEqual(catalogs[0])
})

async function catalogAfter(run: typeof migrate): Promise<unknown[]> {
  const { url, drop } = await emptyDatabase()
  const owner = openDatabase(url, { asOwner: true })
  try {
    await run(owner)
    return await catalogOf(owner)
  } finally {
    await owner.destroy()
    await drop()
  }
}

/** Tables with their columns and rights, and functions with their text and rights. */
async function catalogOf(db: Kysely<ChainDb>): Promise<unknown[]> {
  const { rows } = await sql`
    select c.relname as name, a.attname as part, format_type(a.atttypid, a.atttypmod) as type, c.relacl::text as rights
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'treeos'::regnamespace
    union all
    select proname, prosrc, pg_get_function_identity_arguments(oid), proacl::text
    from pg_proc where pronamespace = 'treeos'::regnamespace
    order by 1, 2`.execute(db)
  return rows
}
