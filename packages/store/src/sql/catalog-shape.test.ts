import { expect, it } from 'vitest'
import { digestOfTables } from './catalog-shape.ts'
import { readSqlFile } from './files.ts'
import SHIPPED from './shape.json' with { type: 'json' }

it('the shape that verify compares with is of the present tables.sql', async () => {
  const how =
    'TREEOS_WRITE_SHAPE=1 vitest run --project services test/proofs/catalog-shape.test.ts -t "writes the shape"'
  expect(SHIPPED.tables, `tables.sql has changed: ${how}`).toBe(
    digestOfTables(await readSqlFile('tables.sql')),
  )
})

it('another column changes the digest of the tables, and a comment does not', () => {
  const tables = 'create table treeos.seen (\n  being text not null -- who\n);'
  const digest = digestOfTables(tables)
  expect(digestOfTables(tables.replace('who', 'the being'))).toBe(digest)
  expect(digestOfTables(tables.replace(' not null', ''))).not.toBe(digest)
})
