import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { emptyDatabase } from '../support/database.ts'

const run = promisify(execFile)
const example = (name: string) => resolve(import.meta.dirname, `../../examples/${name}.ts`)

const folder = mkdtempSync(join(tmpdir(), 'treeos-examples-'))
let env: NodeJS.ProcessEnv
let close: () => Promise<void>
let said = ''

/** Example 5 hosts the beings that examples 6 and 7 talk to. */
beforeAll(async () => {
  const database = await emptyDatabase()
  env = { ...process.env, DATABASE_URL: database.url, ...inject('temporalEnv') }
  const worker = spawn(process.execPath, [example('05-own-worker')], { cwd: folder, env, stdio: 'pipe' })
  for (const stream of [worker.stdout, worker.stderr]) stream.on('data', (data) => (said += data))
  close = async () => {
    if (worker.exitCode === null && worker.kill('SIGTERM')) await once(worker, 'exit')
    await database.drop()
    rmSync(folder, { recursive: true })
  }
  await vi.waitUntil(() => said.includes('beings live') || worker.exitCode !== null, { timeout: 60_000 })
  expect(said).toContain('beings live')
})
afterAll(() => close())

it('example 5, an own worker, runs its own workflow beside the beings', () => {
  expect(said).toContain('its own workflow counted 1,2,3')
})

it('example 6, a client program, gets the answer of a being', async () => {
  const { stdout } = await run(process.execPath, [example('06-client')], { env })
  expect(stdout).toContain('@flora: The figs are ripe, @operator.')
  expect(stdout).toContain('"primary":"greenhouse:gardener"')
})

it('example 7 acts as one being by MCP', async () => {
  const { stdout } = await run(process.execPath, [example('07-mcp')], { env })
  expect(stdout).toContain('see, do, summon, be')
  expect(stdout).toContain('The figs are ripe, @operator.')
})
