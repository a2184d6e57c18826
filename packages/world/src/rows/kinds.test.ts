import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { rowKeyOf } from './evolve.ts'

/**
 * Facts that say on one reel what another one changes, of which lists are made; and what a person accepted,
 * which is read as it stands.
 */
const CHANGE_NO_ROW = [
  'being:bore',
  'being:difference-accepted',
  'place:gave',
  'place:received',
  'space:entered',
  'space:left',
  'space:opened',
]

const OPERATIONS = new URL('../operations/', import.meta.url)

async function kindsWritten(): Promise<string[]> {
  const files = (await readdir(OPERATIONS)).filter((name) => !name.endsWith('.test.ts'))
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, OPERATIONS), 'utf8')))
  const kinds = texts.flatMap((text) =>
    [...text.matchAll(/'([a-z]+:[a-z-]+)'/g)].map(([, kind]) => String(kind)),
  )
  return [...new Set(kinds)].sort()
}

it('each kind of fact that a built-in operation writes changes a row, or is named as one that changes none', async () => {
  const written = await kindsWritten()
  expect(written.length).toBeGreaterThan(30)
  const withoutRow = written.filter((kind) => rowKeyOf({ reel: 'space:/', kind, payload: {} }) === null)
  expect(withoutRow).toEqual(CHANGE_NO_ROW)
})
