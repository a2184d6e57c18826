import { readdirSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { until, useInstance } from './instance.ts'
import { TerminalRun } from './terminal.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 })

const home = useInstance({ up: [] })
const SECRET = /welcome#[\w-]{43}/

it('the link by which the operator signs in first is shown on a terminal alone, and is in no log', async () => {
  const piped = await home.run(['up', '--detach'])
  expect(piped.stderr).toContain('`npx treeos link')
  const logs = readdirSync(home.dataDir).filter((name) => name.endsWith('.log'))
  expect(logs.length).toBeGreaterThan(1)
  for (const text of [
    ...[piped.stdout, piped.stderr, (await home.run(['up', '--detach', '--json'])).stderr],
    ...logs.map((name) => home.log(name)),
  ])
    expect(text).not.toMatch(SECRET)
  // Control: on a terminal the same command shows it, for a quarter of an hour.
  const run = new TerminalRun(home, ['up', '--detach'])
  await until('the link on the terminal', () => SECRET.test(run.raw), 60)
  expect(run.raw).toContain('within 15 minutes')
  expect((await home.run(['link'])).stdout).toMatch(SECRET)
})
