import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const BENCH = resolve(import.meta.dirname, '../../../bench/src/main.ts')
/** The fewest answers of 5 with SmolLM2-135M. A change of prompts, tools or parsers may raise them, never lower them. */
const FLOORS = { court: 3, librarian: 0, lineage: 0, tool: 0 } as const

interface Scene {
  readonly answered: number
}

it('a real small model that nobody scripted answers in each scene at least as often as before', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [BENCH, 'minds', '--size', 'small', '--json'],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  expect(status, stderr).toBe(0)
  const { scenes } = JSON.parse(stdout) as { scenes: Record<keyof typeof FLOORS, Scene> }
  console.log(JSON.stringify(scenes, null, 2))
  for (const [name, floor] of Object.entries(FLOORS))
    expect(scenes[name as keyof typeof FLOORS].answered, stderr).toBeGreaterThanOrEqual(floor)
}, 900_000)
