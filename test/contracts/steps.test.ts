import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const check = readFileSync(join(ROOT, 'scripts/check.ts'), 'utf8')
const section = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  .split('\n## ')
  .find((text) => text.startsWith('The check\n'))

/** What stands between brackets after this text in `scripts/check.ts`. */
function after(text: string, [open, close]: readonly [string, string]): string {
  const start = check.indexOf(open, check.indexOf(text) + text.length)
  const end = check.indexOf(`\n${close}`, start)
  const line = check.indexOf('\n', start)
  return check.slice(start + 1, open === '{' ? end : line)
}
const quoted = (text: string) => [...text.matchAll(/'([a-z]+)'/g)].map(([, name]) => name)

it('CONTRIBUTING names each step of the check once, and no other', () => {
  const keys = [...after('const checks: Record<string, string[]> =', ['{', '}']).matchAll(/^ {2}([a-z]+):/gm)]
  const steps = [...keys.map(([, name]) => name), ...quoted(after('const suites =', ['[', ']'])), 'portal']
  expect(steps.length).toBeGreaterThan(12)
  const [told = ''] = (section ?? '').split('\n```')
  const named = [...told.matchAll(/`([a-z]+)`/g)].map(([, name]) => name).filter((name) => name !== 'tsc')
  expect(named.toSorted()).toEqual(steps.toSorted())
})

it('a test that puts another module in the place of one has a process of its own, by its name', () => {
  const tests = globSync('{packages,extensions,apps,bench,examples/worlds}/*/{src,test}/**/*.test.ts', {
    cwd: ROOT,
  })
  const mocking = tests.filter((file) => /\bvi\.(do)?[mM]ock\(/.test(readFileSync(join(ROOT, file), 'utf8')))
  expect(mocking.length).toBeGreaterThan(0)
  expect(mocking.filter((file) => !/\.(mocked|property)\.test\.ts$/.test(file))).toEqual([])
})
