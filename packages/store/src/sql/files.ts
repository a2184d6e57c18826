import { readdir, readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'

/** `.sql` files lie beside this module, in `src` and in `dist` alike: the build copies them. */
const urlOf = (name: string): URL => new URL(`./${name}`, import.meta.url)

/** @returns paths of the files that make one function each, in order of their names */
export async function listFunctions(): Promise<string[]> {
  const names = await readdir(urlOf('functions'), { recursive: true })
  return names
    .filter((name) => name.endsWith('.sql'))
    .map((name) => `functions/${name.replaceAll('\\', '/')}`)
    .sort()
}

/** @param name path of a `.sql` file from this folder */
export const readSqlFile = (name: string): Promise<string> => readFile(urlOf(name), 'utf8')

/** @param name path of a `.sql` file from this folder */
export async function runSqlFile(db: Kysely<unknown>, name: string): Promise<void> {
  await sql.raw(await readSqlFile(name)).execute(db)
}
