import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const sources = execFileSync(
  'git',
  ['ls-files', '{packages,apps,extensions}/*/src/**.ts', 'packages', 'apps', 'extensions', 'examples/worlds'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .trim()
  .split('\n')
  .filter((file) => /\/src\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'))

/** Parts of statements that are put together, each from names in our own sources. */
const KNOWN = [
  // a file of the package
  `apps/portal/src/store/migrate.ts: sql.raw(await readFile(new URL(\`./\${name}\`, import.meta.url)`,
  // of a list of tables and queries in the file, and a number
  'packages/proofs/src/realities/copy.ts: sql.raw(String(page)',
  `packages/proofs/src/realities/copy.ts: sql.raw(\`copied_\${table}\`)`,
  `packages/proofs/src/realities/copy.ts: sql.raw(\`treeos.\${table}\`)`,
  'packages/proofs/src/realities/copy.ts: sql.raw(of)',
  "packages/store/src/moments/accounts.ts: sql.ref('a.being')",
  'packages/store/src/sql/files.ts: sql.raw(await readSqlFile(name)',
  'packages/store/src/sql/migrate.ts: sql.table(table)',
]

it('no text from outside becomes part of a statement: the only parts put together are these', () => {
  const found = [...new Set(sources)].flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(/\bsql\.(raw|lit|literal|ref|id|table)\([^)]*\)/g),
    ].map(([part]) => `${file}: ${part}`),
  )
  expect(found.sort()).toEqual(KNOWN)
})

/**
 * Statements given to the driver other than as plain text: constants, and one function that passes on the
 * constants of its file.
 */
const GIVEN = [
  'packages/local/src/postgres/server.ts: .query(text, values)',
  'packages/store/src/sql/copy.ts: .query(begin)',
  'packages/store/src/sql/copy.ts: .query(copying)',
  'packages/store/src/sql/copy.ts: .query(this.#text)',
  'packages/store/src/sql/database.ts: .query(takeRole)', // of three names in the file
  `packages/store/src/sql/listen.ts: .query(\`\${FOLLOWERS}; listen \${JOURNAL}; listen \${WORDS}\`)`,
]

it('the driver is given constants', () => {
  const found = [...new Set(sources)].flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\.query\(([^'\s)][^)]*)\)/g)].map(
      ([call]) => `${file}: ${call}`,
    ),
  )
  expect(found.sort()).toEqual(GIVEN)
})
