import { execFile } from 'node:child_process'
import { glob, readFile, rm } from 'node:fs/promises'
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
  const fromSources = await catalogAfter(migrate)
  expect(fromSources).not.toEqual([])
  expect(await catalogAfter(built.migrate)).toEqual(fromSources)
})

it('a later migration can apply every function and the rights again', async () => {
  const applyAgain = async (owner: Kysely<ChainDb>) => {
    await migrate(owner)
    const folder = join(packageRoot, 'src/sql')
    for await (const file of glob('{functions/**/*,rights}.sql', { cwd: folder }))
      await sql.raw(await readFile(join(folder, file), 'utf8')).execute(owner)
  }
  expect(await catalogAfter(applyAgain)).toEqual(await catalogAfter(migrate))
})

async function catalogAfter(run: (owner: Kysely<ChainDb>) => Promise<unknown>): Promise<unknown[]> {
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
