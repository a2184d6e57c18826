import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { emptyDatabase } from '../support/database.ts'
import { buildAndPack } from './packed.ts'
import { type Registry, startRegistry } from './registry.ts'
import { userEnvironment } from './user.ts'

/**
 * A worker of one's own with an extension that was made for another version, so that npm installs the runtime
 * twice.
 */
const run = promisify(execFile)
const OTHER_VERSION = '9.9.9'
const INSTALL_MS = 600_000

const EXTENSION = `
import { defineExtension, defineOperation, TreeosError } from '@treeos/sdk'
import { z } from 'zod'

const common = { on: 'being', allow: ['anyone'], args: z.object({}) }
const refuse = defineOperation({
  ...common,
  name: 'guard:refuse',
  description: 'Refuses.',
  decide: () => {
    throw new TreeosError('RESOURCE_CONFLICT', 'the gate is taken', { by: 'guard' })
  },
})
const fail = defineOperation({
  ...common,
  name: 'guard:fail',
  description: 'Has a fault.',
  decide: () => {
    throw new RangeError('a fault of the code')
  },
})
const look = defineOperation({
  ...common,
  name: 'guard:look',
  description: 'Hears a refusal of the worker.',
  effect: {
    timeoutSeconds: 10,
    attempts: 1,
    perform: ({ fetch }) =>
      fetch('ftp://localhost/').then(
        () => ({ isTold: false }),
        (error) => ({ isTold: error instanceof TreeosError, code: error.code }),
      ),
  },
  decide: ({ effect }) => ({ facts: [], result: effect }),
})
export { TreeosError }
export default defineExtension({ name: 'guard', version: '1.0.0', operations: [refuse, fail, look] })
`

const PROGRAM = `
import { Client, Connection } from '@temporalio/client'
import { loadClientConnectConfig } from '@temporalio/envconfig'
import { NativeConnection, Worker } from '@temporalio/worker'
import { act } from '@treeos/client'
import { buildRegistry, openDatabase, seed } from '@treeos/client/open'
import { treeos } from '@treeos/host'
import { ensurePostgres } from '@treeos/host/services'
import { TreeosError } from '@treeos/sdk'
import guard, { TreeosError as TheirError } from 'guard'

const postgres = await ensurePostgres({ dataDir: 'data', onProgress: () => undefined })
const { connectionOptions: options } = loadClientConnectConfig()
const connection = await NativeConnection.connect(options)
const beings = treeos({ extensions: [guard], databaseUrl: postgres.workerUrl })
const { reality, taskQueue } = await beings.prepare({ connection, reality: 'twice', ownerUrl: postgres.url })
const worker = await Worker.create({ connection, taskQueue, plugins: [beings] })
const running = worker.run()
const db = openDatabase(postgres.peopleUrl, { role: 'treeos_people' })
const temporal = new Client({ connection: await Connection.connect(options) })
const at = { db, temporal, reality, registry: buildRegistry([seed, guard]) }
const ask = (operation) =>
  act(at, 'operator', { verb: 'do', operation, target: '@operator', args: {} }, 60).then(
    ({ result }) => result,
    (error) => ({ code: error.code, message: error.message, isTold: error instanceof TreeosError, isTheirs: error instanceof TheirError }),
  )
const asked = { areTwo: TreeosError !== TheirError }
for (const name of ['refuse', 'fail', 'look']) asked[name] = await ask('guard:' + name)
console.log(JSON.stringify(asked))
worker.shutdown()
await running
await Promise.all([temporal.connection.close(), connection.close(), db.destroy()])
`

const home = mkdtempSync(join(tmpdir(), `treeos-test-${process.pid}-`))
const world = join(home, 'world')
let registry: Registry
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  const packed = join(home, 'packed')
  await buildAndPack(packed)
  for (const name of ['runtime', 'sdk', 'verify']) await packAsOther(packed, name)
  await packExtension(packed)
  registry = await startRegistry(packed)
  env = userEnvironment({ 'npm_config_@treeos:registry': registry.url })
  mkdirSync(world)
  const versions = Object.fromEntries(
    ['client', 'host', 'sdk'].map((name) => [`@treeos/${name}`, registry.versions[`@treeos/${name}`]]),
  )
  const dependencies = { ...versions, guard: `file:${join(packed, 'guard-1.0.0.tgz')}` }
  writeFileSync(join(world, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: world, env })
}, INSTALL_MS)
afterAll(() => {
  registry?.close()
  rmSync(home, { recursive: true, force: true })
})

/** Packs a package once more in another version, with the same code. */
async function packAsOther(packed: string, name: string): Promise<void> {
  const folder = join(home, 'other', name)
  mkdirSync(folder, { recursive: true })
  const version = JSON.parse(
    readFileSync(new URL('../../packages/sdk/package.json', import.meta.url), 'utf8'),
  ).version
  await run('tar', ['-xzf', join(packed, `treeos-${name}-${version}.tgz`), '-C', folder])
  const file = join(folder, 'package/package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([one, wanted]) => [
    one,
    one.startsWith('@treeos/') ? OTHER_VERSION : wanted,
  ])
  const other = { ...manifest, version: OTHER_VERSION, dependencies: Object.fromEntries(dependencies) }
  writeFileSync(file, JSON.stringify(other))
  await run('tar', ['-czf', join(packed, `treeos-${name}-${OTHER_VERSION}.tgz`), '-C', folder, 'package'])
}

async function packExtension(packed: string): Promise<void> {
  const folder = join(home, 'guard')
  mkdirSync(folder)
  const dependencies = { '@treeos/sdk': OTHER_VERSION, zod: '^4.0.0' }
  const manifest = { name: 'guard', version: '1.0.0', type: 'module', exports: './index.js', dependencies }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'index.js'), EXTENSION)
  await run('npm', ['pack', '--pack-destination', packed], { cwd: folder, env: userEnvironment({}) })
}

it('npm installs both versions of the runtime', () => {
  const versionIn = (folder: string) =>
    JSON.parse(readFileSync(join(world, folder, 'node_modules/@treeos/runtime/package.json'), 'utf8')).version
  expect(versionIn('.')).toBe(registry.versions['@treeos/runtime'])
  expect(versionIn('node_modules/guard')).toBe(OTHER_VERSION)
})

it('a refusal crosses between both versions with its code, and a fault of code is none', async () => {
  writeFileSync(join(world, 'program.js'), PROGRAM)
  const database = await emptyDatabase()
  const places = { ...env, DATABASE_URL: database.url, ...inject('temporalEnv') }
  try {
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: world, env: places })
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      areTwo: true,
      refuse: { code: 'RESOURCE_CONFLICT', message: 'the gate is taken', isTold: true, isTheirs: true },
      fail: expect.objectContaining({ code: 'INTERNAL', isTold: true }),
      look: { isTold: true, code: 'INVALID_INPUT' },
    })
  } finally {
    await database.drop()
  }
})
