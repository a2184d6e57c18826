import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const page = readFileSync(join(ROOT, 'docs/sources.md'), 'utf8')
/** Each statement, on one line, by its document. */
const statements = page
  .split(/^## /m)
  .slice(1)
  .flatMap((part) => {
    const [heading = '', ...rest] = part.split('\n')
    return rest
      .join('\n')
      .split(/^- /m)
      .slice(1)
      .map((text) => ({ heading, text: text.replaceAll(/\s+/g, ' ').trim() }))
  })
const TESTED = / \[test\]\(\.\.\/(\S+\.test\.ts)\)$/
/** Words by which a statement says that something is otherwise here. */
const DIFFERS = /\b(since|else|but|unless|in place of|not shipped|future there|open there|not yet|or would)\b/

it('has statements of each document, on one page that is short', () => {
  expect([...new Set(statements.map(({ heading }) => heading))]).toEqual([
    'Roles',
    'Being types',
    'Role primitive',
    'Child roles',
  ])
  expect(statements.length).toBeGreaterThan(60)
  expect(page.split('\n').length).toBeLessThanOrEqual(121)
})

it.each(statements)('$text', ({ text }) => {
  const [, test = 'none'] = TESTED.exec(text) ?? []
  expect(existsSync(join(ROOT, test)), `the test ${test} of a statement exists`).toBe(true)
  // What is otherwise here names the page where one would look for it.
  if (DIFFERS.test(text)) expect(text.replace(TESTED, '')).toMatch(/\]\(\S*\.md(#\S+)?\)/)
})
