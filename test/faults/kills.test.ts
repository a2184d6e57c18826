import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { CRASH_POINTS } from '@treeos/activities'
import { expect, it } from 'vitest'
import { testAttacks } from './experiments.ts'
import { GROUNDS, scenarios } from './scenarios/index.ts'

it('every crash point of the source is killed every night, and nothing else', async () => {
  const source = dirname(createRequire(import.meta.url).resolve('@treeos/activities'))
  const files = (await readdir(source, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const texts = await Promise.all(files.map((name) => readFile(join(source, name), 'utf8')))
  const inSource = texts.flatMap((text) =>
    [...text.matchAll(/\bcrashPoint(?:Later)?\('([^']+)'\)/g)].map(([, name = '']) => name),
  )
  const killed = scenarios.flatMap((scenario) => scenario.kills?.(scenario.sizes.test) ?? [])
  expect(inSource.sort()).toEqual([...CRASH_POINTS].sort())
  expect([...new Set(killed)].sort()).toEqual([...CRASH_POINTS].sort())
})

testAttacks(GROUNDS.kills)
