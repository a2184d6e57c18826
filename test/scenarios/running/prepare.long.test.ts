import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasAccount, portalOf } from '@treeos/portal'
import { openDatabase } from '@treeos/store'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { WorkerProcess } from '../../faults/worker-process.ts'
import { emptyDatabase, type OwnDatabase } from '../../support/database.ts'

const APPS = join(import.meta.dirname, '../../../apps')
const PREPARE = join(APPS, 'worker/src/prepare.ts')
const TREEOS = join(APPS, 'cli/src/main.ts')

let database: OwnDatabase
let folder: string
beforeAll(async () => {
  database = await emptyDatabase()
  folder = await mkdtemp(join(tmpdir(), 'treeos-test-prepare-'))
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

it('the step before workers makes the reality of an empty database, changes nothing again, and a worker then takes work', async () => {
  const { OPENAI_API_KEY: _, OPENAI_BASE_URL: __, TREEOS_DATA: ___, ...inherited } = process.env
  const env = {
    ...inherited,
    ...inject('temporalEnv'),
    OLLAMA_HOST: '127.0.0.1:1',
    DATABASE_URL: database.workerUrl,
    TREEOS_WORKFLOW_BUNDLE: inject('bundlePath'),
  }
  const start = () => new WorkerProcess(join(folder, 'worker.log'), env)
  expect(await start().ended, 'control: without it no worker starts').toBe(1)
  const reality = `r-${randomUUID().slice(0, 8)}`
  const prepare = async (...command: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      env: { ...env, TREEOS_OWNER_DATABASE_URL: database.url, TREEOS_REALITY: reality },
    })
    return JSON.parse(stdout)
  }
  const prepared = { reality, taskQueue: `treeos-${reality}` }
  expect(await prepare(PREPARE)).toEqual(prepared)
  expect(await prepare(TREEOS, 'prepare', '--json')).toEqual(prepared)
  const portal = openDatabase(database.url, { asOwner: true, poolMax: 1 })
  expect(await hasAccount(portalOf(portal), 'operator'), 'the tables of the portal are there').toBe(false)
  await portal.destroy()
  const worker = start()
  try {
    expect(await worker.ready).toBe(true)
  } finally {
    worker.kill()
    await worker.ended
  }
})
