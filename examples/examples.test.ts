import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

it.each([
  ['01-flow', '"primary":"judge","stacked":["bored"]'],
  ['02-operation', 'INVALID_INPUT: garden:water: liters is 500'],
  ['03-effect', '{"first":{"receipt":1},"again":{"receipt":1},"letters":1}'],
  ['04-extension', 'The figs are ripe, @ann.'],
])('example %s runs and prints what it shows', async (name, shown) => {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, `${name}.ts`)])
  expect(stdout).toContain(shown)
})
