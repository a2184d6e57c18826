import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readStatus } from '../health/status.ts'
import { programName } from '../text/program-name.ts'
import { describeStatus } from './status.ts'

const folder = mkdtempSync(join(tmpdir(), 'treeos-status-'))
const us = programName()
afterAll(() => rmSync(folder, { recursive: true }))

it('says how to start an instance that does not run, and a worker that alone is missing', async () => {
  const status = await readStatus(folder, {})
  const all = new RegExp(`^ *worker +not running; ${us} up --data ${folder} starts all$`, 'm')
  expect(describeStatus(status, folder)).toMatch(all)
  const temporal = { ...status.temporal, address: '127.0.0.1:7233' }
  expect(describeStatus({ ...status, temporal }, folder)).toMatch(all)
  const postgres = { url: 'postgres://127.0.0.1/treeos' }
  expect(describeStatus({ ...status, temporal, postgres }, folder)).toMatch(
    new RegExp(`^ *worker +not running; ${us} worker .* starts one$`, 'm'),
  )
})

it.each([
  { waiting: 0, paced: 0, told: 'none waits for a worker' },
  { waiting: 1, paced: 0, told: '1 waits for a worker, the oldest for 23 s' },
  { waiting: 1, paced: 1, told: '1 waits for a budget of moments a minute, the oldest for 23 s' },
  { waiting: 3, paced: 2, told: '3 wait, 2 of them for a budget of moments a minute, the oldest for 23 s' },
])('of $waiting wakes that wait, $paced for a budget, says "$told"', async ({ waiting, paced, told }) => {
  const status = await readStatus(folder, {})
  const wakes = { waiting, oldestSeconds: 23 }
  expect(describeStatus({ ...status, wakes, paced }, folder)).toMatch(new RegExp(`^ *wakes +${told}$`, 'm'))
})

it('says by priority what waits, for how long, and what limits', async () => {
  const status = await readStatus(folder, {})
  const wakes = {
    ...{ waiting: 9, oldestSeconds: 23, medianSeconds: 4 },
    ofPeople: { waiting: 2, oldestSeconds: 1 },
    inBackground: { waiting: 0, oldestSeconds: 0 },
  }
  const told = describeStatus({ ...status, wakes, limit: 'minds' }, folder)
  expect(told).toMatch(
    /^ *wakes +9 wait for a worker, the oldest for 23 s, half for over 4 s; of people 2, the oldest for 1 s$/m,
  )
  expect(told).toMatch(/^ *what limits +minds: workers have time/m)
  expect(describeStatus({ ...status, wakes }, folder)).not.toMatch('what limits')
})

it('names migrations that wait, and nothing where none does', async () => {
  const status = await readStatus(folder, {})
  expect(describeStatus({ ...status, migrations: [] }, folder)).not.toMatch(/^ *database /m)
  expect(describeStatus({ ...status, migrations: ['002-later'] }, folder)).toMatch(
    new RegExp(`^ *database +the migration 002-later waits: ${us} up --data .* runs them$`, 'm'),
  )
})
