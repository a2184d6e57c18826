import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { growth, isTable, sizesOfSqlite } from './split.ts'

test('what grew is told for one moment, largest first', () => {
  const before = new Map([
    ['fact', 8192],
    ['head', 8192],
  ])
  const after = new Map([
    ['head', 8192],
    ['fact.fact_pkey', 16_384],
    ['fact', 40_960],
  ])
  expect(Object.entries(growth(before, after, 4))).toEqual([
    ['fact', 8190],
    ['fact.fact_pkey', 4100],
  ])
  expect(['fact', 'fact.fact_pkey', 'blob (toast)'].map(isTable)).toEqual([true, false, false])
})

test('a SQLite file that another connection has locked is measured with its log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-split-'))
  const file = join(folder, 'server.db')
  const db = new DatabaseSync(file)
  try {
    db.exec('pragma locking_mode = exclusive; pragma journal_mode = wal')
    db.exec('create table history_node (data blob); insert into history_node values (zeroblob(100000))')
    const sizes = await sizesOfSqlite(file)
    expect(sizes.get('history_node')).toBeGreaterThan(100_000)
    db.exec('drop table history_node')
    expect((await sizesOfSqlite(file)).get('free pages')).toBeGreaterThan(100_000)
  } finally {
    db.close()
    rmSync(folder, { recursive: true })
  }
})
