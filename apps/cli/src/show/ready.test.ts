import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readStatus } from '../health/status.ts'
import { programName } from '../text/program-name.ts'
import { describeReady } from './ready.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'treeos-ready-'))
const us = programName()
afterAll(() => rmSync(dataDir, { recursive: true }))
const how = { dataDir, isNew: true, detach: true, flag: ` --data ${dataDir}` }

it('says in three lines what to do next, before where what is', async () => {
  const status = await readStatus(dataDir, {})
  const portal = { ...status.portal, url: 'http://localhost:7438' }
  const lines = describeReady({ ...status, portal }, how).split('\n')
  expect(lines[0]).toBe('TreeOS is up, with a new reality. Next:')
  expect(lines.slice(1, 5)).toEqual([
    expect.stringContaining(`${us} summon @echo "hello" --wait 20 --data ${dataDir}`),
    expect.stringContaining('sign in to the portal at http://localhost:7438'),
    expect.stringContaining(`OPENAI_API_KEY=… TREEOS_MODEL=… ${us} up --data ${dataDir}`),
    '',
  ])
  expect(lines.at(-1)).toBe(`Stop  ${us} down --data ${dataDir}`)
})

it('names a model that answers, and no portal where none runs', async () => {
  const status = await readStatus(dataDir, {})
  const mind = { model: 'small', baseUrl: 'http://127.0.0.1:11434/v1' } as NonNullable<typeof status.mind>
  const [, first, second, third] = describeReady({ ...status, mind }, how).split('\n')
  expect([first, second]).toEqual([
    expect.stringContaining('@echo'),
    expect.stringContaining('an answer of small'),
  ])
  expect(third).toBe('')
})
