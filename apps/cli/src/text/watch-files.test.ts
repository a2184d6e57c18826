import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchFiles } from './watch-files.ts'

let folder: string
let stop: () => Promise<void>
let told: string[][]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treeos-watch-'))
  for (const below of ['node_modules/x', '.git', 'parts']) mkdirSync(join(folder, below), { recursive: true })
  put('index.ts', '1')
  put('parts/role.ts', '1')
  told = []
  const ending = new AbortController()
  const watched = watchFiles([folder], { signal: ending.signal, pollMs: 20 }, async (files) => {
    told.push(files.map((file) => file.slice(folder.length + 1)))
  })
  stop = () => {
    ending.abort()
    return watched
  }
})
afterEach(async () => {
  await stop()
  rmSync(folder, { recursive: true })
})

const put = (file: string, text: string) => writeFileSync(join(folder, file), text)
const untilTold = (count: number) => vi.waitUntil(() => told.length >= count, { timeout: 5000 })

it('tells once of what was changed, made and removed together, below too', async () => {
  put('index.ts', '12')
  put('parts/new.json', '{}')
  rmSync(join(folder, 'parts/role.ts'))
  await untilTold(1)
  put('index.ts', '123')
  await untilTold(2)
  expect(told).toEqual([['index.ts', 'parts/new.json', 'parts/role.ts'], ['index.ts']])
})

it('tells nothing of packages, hidden folders and files of other kinds', async () => {
  put('node_modules/x/index.ts', '1')
  put('.git/index.json', '1')
  put('notes.log', '1')
  put('index.ts', '12') // control: what comes with them is told
  await untilTold(1)
  expect(told).toEqual([['index.ts']])
})
