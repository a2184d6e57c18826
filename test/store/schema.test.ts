import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate, type StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { catalogAfter } from '../support/catalog.ts'

// That the built package makes the same schema, test/packing shows.
it('a later migration can apply every function and the rights again', async () => {
  const applyAgain = async (owner: Kysely<StoreDb>) => {
    await migrate(owner)
    const folder = join(import.meta.dirname, '../../packages/store/src/sql')
    for await (const file of glob('{functions/**/*,rights}.sql', { cwd: folder }))
      await sql.raw(await readFile(join(folder, file), 'utf8')).execute(owner)
  }
  expect(await catalogAfter(applyAgain)).toEqual(await catalogAfter(migrate))
})
