/**
 * The row types of `schema.ts` are written by hand, so this compares each of them with its table in a living
 * database.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'

const base = useDatabase()
const FILE = join(import.meta.dirname, '../../packages/store/src/sql/schema.ts')

/** Types of Postgres, as the driver gives their values. */
const TYPES: Readonly<Record<string, string>> = {
  bigint: 'number',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'Date',
  'double precision': 'number',
  integer: 'number',
  jsonb: 'unknown',
  smallint: 'number',
  text: 'string',
  tsvector: 'string',
  'timestamp with time zone': 'Date',
  uuid: 'string',
  _float4: 'number[]',
  _int8: 'number[]',
  _note_vector: 'string',
  _text: 'string[]',
}

/** Columns that may hold null by their table, and that the one function that writes them always fills. */
const ALWAYS_FILLED = new Set(['content', 'set_by', 'set_at'].map((name) => `overlay.${name}`))

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  /** `always`: only Postgres sets it; `default`: Postgres sets it where an insert leaves it out */
  readonly made: 'always' | 'default' | 'never'
}

/** Each column as its row type should say it, by `table.column`. */
async function columnsOf(): Promise<Map<string, string>> {
  const { rows } = await sql<Column>`
    select table_name as table, column_name as name,
      case data_type when 'ARRAY' then udt_name else data_type end as type,
      is_nullable = 'YES' as nullable,
      case when identity_generation = 'ALWAYS' or is_generated = 'ALWAYS' then 'always'
        when column_default is not null then 'default' else 'never' end as made
    from information_schema.columns where table_schema = 'treeos'`.execute(base.owner)
  return new Map(
    rows.map(({ table, name, type, nullable, made }) => {
      const key = `${table}.${name}`
      const is = TYPES[type] ?? `a type for ${type}`
      const or = nullable && is !== 'unknown' && !ALWAYS_FILLED.has(key) ? `${is} | null` : is
      const wrapper = { always: 'GeneratedAlways', default: 'Generated', never: null }[made]
      return [key, wrapper === null ? or : `${wrapper}<${or}>`]
    }),
  )
}

/** Each column as its row type says it; a choice of literals as the type of these. */
function typesIn(source: string): Map<string, string> {
  const bodies = new Map(
    [...source.matchAll(/^export interface (\w+) \{\n(.*?)\n\}/gms)].map(([, name, body]) => [
      name,
      body ?? '',
    ]),
  )
  const membersOf = (name: string) =>
    [...(bodies.get(name) ?? '').matchAll(/^ {2}(\w+): (.+)$/gm)].map(
      ([, member = '', type = '']) => [member, type] as const,
    )
  return new Map(
    membersOf('StoreDb').flatMap(([table, type]) =>
      membersOf(type).map(([column, is]) => [
        `${table}.${column}`,
        is.replace(/'[^']*'( \| '[^']*')*/g, 'string'),
      ]),
    ),
  )
}

const sorted = (columns: Map<string, string>) => Object.fromEntries([...columns].sort())

it('every column of every table has the type and the nullability that its row type says', async () => {
  expect(sorted(typesIn(readFileSync(FILE, 'utf8')))).toEqual(sorted(await columnsOf()))
})

it.each([
  ['a column less', /^ {2}listens_until: .+\n/m, ''],
  ['another type', 'payload_hash: Buffer', 'payload_hash: string'],
  ['null where there is none', '  digest: string', '  digest: string | null'],
  ['a default that there is not', '  being: string', '  being: Generated<string>'],
])('control: %s in a row type is found', async (_, old, other) => {
  const source = readFileSync(FILE, 'utf8')
  const changed = source.replace(old, other)
  expect(changed).not.toBe(source)
  expect(sorted(typesIn(changed))).not.toEqual(sorted(await columnsOf()))
})
