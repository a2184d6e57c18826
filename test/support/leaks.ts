import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'

/**
 * Words that stand nowhere but where they were put. Letters and digits alone, so they are the same in JSON
 * and in a URL.
 */
export function sentinels<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, string>> {
  const stem = `zq${randomBytes(12).toString('hex')}` // common to all, so that a search looks for it first
  return Object.fromEntries(
    names.map((name) => [name, `${stem}${randomBytes(6).toString('hex')}`]),
  ) as Record<Name, string>
}

/**
 * The forms in which a text may lie about. Raw covers UTF-8, JSON and URLs, since a sentinel has no character
 * that they escape.
 */
function formsOf(word: string): Readonly<Record<string, Buffer>> {
  const bytes = Buffer.from(word)
  return {
    raw: bytes,
    hex: Buffer.from(bytes.toString('hex')),
    HEX: Buffer.from(bytes.toString('hex').toUpperCase()),
    'utf16-le': Buffer.from(word, 'utf16le'),
    'utf16-be': Buffer.from(word, 'utf16le').swap16(),
    ...Object.fromEntries([0, 1, 2].map((shift) => [`base64+${shift}`, base64At(bytes, shift)])),
  }
}

/**
 * The characters of base64 that depend on the word alone, when it begins after `shift` bytes of a group of
 * three.
 */
function base64At(bytes: Buffer, shift: number): Buffer {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  const begin = shift === 0 ? 0 : shift + 1
  const bits = 8 * (shift + bytes.length)
  return Buffer.from(text.slice(begin, Math.floor(bits / 6)))
}

/** `<word> as <form>` for each form of each word that the bytes hold. */
export function findIn(bytes: Buffer, words: Readonly<Record<string, string>>): string[] {
  const stem = commonBegin(Object.values(words))
  if (!Object.values(formsOf(stem)).some((needle) => bytes.includes(needle))) return []
  return Object.entries(words).flatMap(([name, word]) =>
    Object.entries(formsOf(word)).flatMap(([form, needle]) =>
      bytes.includes(needle) ? [`${name} as ${form}`] : [],
    ),
  )
}

function commonBegin([first = '', ...others]: readonly string[]): string {
  let length = first.length
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1
  if (length < 12) throw new Error('the words begin with nothing in common')
  return first.slice(0, length)
}

const OVERLAP = 256

const PART_BYTES_MAX = 4 << 20

/** As {@link findIn}, over a file of any size. */
export async function findInFile(path: string, words: Readonly<Record<string, string>>): Promise<string[]> {
  const found = new Set<string>()
  let rest = Buffer.alloc(0)
  try {
    // A stream takes memory for a whole part, however small its file, and the search reads thousands of small
    // files.
    const highWaterMark = Math.min(PART_BYTES_MAX, (await stat(path)).size + 1)
    for await (const part of createReadStream(path, { highWaterMark })) {
      const bytes = Buffer.concat([rest, part as Buffer])
      for (const one of findIn(bytes, words)) found.add(one)
      rest = bytes.subarray(-OVERLAP)
    }
  } catch (error) {
    throwUnlessGone(error)
  }
  return [...found]
}

/**
 * Tests beside this one drop their databases, so files and folders may be removed while they are searched.
 */
function throwUnlessGone(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  return null
}

/** The files below a folder, or the file itself. */
export async function filesIn(path: string): Promise<string[]> {
  const at = await stat(path).catch(throwUnlessGone)
  if (at === null) return []
  if (!at.isDirectory()) return at.isFile() ? [path] : []
  const entries = (await readdir(path).catch(throwUnlessGone)) ?? []
  return (await Promise.all(entries.map((name) => filesIn(join(path, name))))).flat()
}

/** The rows of every table but the system's, as COPY would write them, by table. */
export async function dumpTables(owner: Kysely<StoreDb>): Promise<ReadonlyMap<string, Buffer>> {
  const { rows: tables } = await sql<{ label: string; name: string }>`
    select schemaname || '.' || tablename as label, format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(owner)
  const dumped = new Map<string, Buffer>()
  for (const { label, name } of tables) {
    const { rows } = await sql<{ line: string }>`select t::text as line from ${sql.raw(name)} t`.execute(
      owner,
    )
    dumped.set(label, Buffer.from(rows.map(({ line }) => line).join('\n')))
  }
  return dumped
}

/** The files of a database, of its journal and of the whole server, and none of the other databases. */
export async function filesOfDatabase(owner: Kysely<StoreDb>): Promise<{ root: string; files: string[] }> {
  await sql`checkpoint`.execute(owner)
  const { rows } = await sql<{ root: string; own: string }>`
    select current_setting('data_directory') as root, 'base/' || oid || '/' as own
    from pg_database where datname = current_database()`.execute(owner)
  const { root, own } = rows[0]!
  const files = await filesIn(root)
  return {
    root,
    files: files.filter((file) => !file.startsWith(join(root, 'base')) || file.startsWith(join(root, own))),
  }
}

/**
 * Turns off what would hide a text in the files of Postgres: compression of long values and of the journal.
 */
export async function storePlainly(owner: Kysely<StoreDb>): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select format('alter table %s alter column %I set storage external', attrelid::regclass, attname) as statement
    from pg_attribute join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
    where nspname = 'treeos' and relkind = 'r' and attnum > 0 and attstorage = 'x' and not attisdropped`.execute(
    owner,
  )
  for (const { statement } of rows) await sql.raw(statement).execute(owner)
  const { rows: settings } = await sql<{
    wal: string
  }>`select current_setting('wal_compression') as wal`.execute(owner)
  if (settings[0]?.wal !== 'off')
    throw new Error(`wal_compression is ${settings[0]?.wal}: a journal cannot be searched`)
}
