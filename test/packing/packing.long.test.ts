import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { removeInstance } from '@treeos/local'
import { migrate } from '@treeos/store'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { root } from '../../scripts/packages.ts'
import { catalogAfter } from '../support/catalog.ts'
import { emptyDatabase } from '../support/database.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { buildAndPack } from './packed.ts'
import { type Registry, startRegistry } from './registry.ts'
import { userEnvironment } from './user.ts'

/**
 * The packages as their users have them: packed, served by a registry on loopback, installed by npm in an
 * empty folder. Third parties come from the registry of this machine. The tests run in order, in one folder.
 */
const run = promisify(execFile)
const EXAMPLES = join(root, 'examples')
const HTTP_CLIENT = '@treeos/client-http'
/** No other package needs them. */
const BY_NAME = [HTTP_CLIENT, '@treeos/client', '@treeos/host']
/**
 * npm fetches some hundred packages into an empty cache: half a minute on a quiet machine, and minutes on a
 * busy one.
 */
const INSTALL_MS = 600_000

// Named so that a later run removes the instance in it, should this one be killed.
const home = mkdtempSync(join(tmpdir(), `treeos-test-${process.pid}-`))
const world = join(home, 'my-world')
let registry: Registry
let env: NodeJS.ProcessEnv
let model: ModelServer | undefined

beforeAll(async () => {
  await buildAndPack(join(home, 'packed'))
  registry = await startRegistry(join(home, 'packed'))
  env = userEnvironment({ 'npm_config_@treeos:registry': registry.url, TREEOS_DATA: join(home, 'instance') })
})
afterAll(async () => {
  registry?.close()
  model?.close()
  await removeInstance(join(home, 'instance'))
  rmSync(home, { recursive: true, force: true })
})

const inWorld = (command: string, ...args: string[]) => run(command, args, { cwd: world, env })

it(
  'npm create treeos makes a folder, and npm installs it from the packages',
  async () => {
    const { stdout } = await run(
      'npm',
      ['create', 'treeos', 'my-world', '--yes', '--registry', registry.url],
      {
        cwd: home,
        // npx would run the one it installed for an earlier run
        env: { ...env, npm_config_cache: join(home, 'npm') },
      },
    )
    expect(stdout).toContain('npm start')
    const { stderr } = await inWorld('npm', 'install', '--no-audit', '--no-fund')
    expect(stderr, 'the first screen of an install').not.toMatch(/EBADENGINE|install-scripts/)
    const { 'create-treeos': _, ...wanted } = registry.versions
    const installed = () => readdirSync(join(world, 'node_modules/@treeos')).map((name) => `@treeos/${name}`)
    expect(installed()).toEqual(
      Object.keys(wanted)
        .filter((name) => !BY_NAME.includes(name))
        .sort(),
    )
    expect(Object.keys(wanted).length, 'a published package is a promise').toBeLessThan(16)
    await inWorld('npm', 'install', '--no-save', '--no-audit', '--no-fund', ...BY_NAME)
    expect(installed()).toEqual(Object.keys(wanted).sort())
  },
  INSTALL_MS,
)

it('its tests pass and it type-checks', async () => {
  expect((await inWorld('npm', 'test')).stdout).toMatch(/pass 4\b/)
  await inWorld('npm', 'run', 'typecheck')
})

it('every door of every package type-checks under strict nodenext, with the declarations of all libraries', async () => {
  const doors = Object.keys(registry.versions)
    .filter((name) => name.startsWith('@treeos/'))
    .flatMap((name) => {
      const { exports } = JSON.parse(readFileSync(join(world, 'node_modules', name, 'package.json'), 'utf8'))
      const typed = Object.keys(exports).filter((door) => exports[door].types !== undefined)
      return typed.map((door) => name + door.slice(1))
    })
  const lines = doors.map((door, i) => `export * as door${i} from '${door}'`)
  writeFileSync(join(world, 'doors.ts'), lines.join('\n'))
  const compilerOptions = { skipLibCheck: false }
  const config = { extends: './tsconfig.json', compilerOptions, include: ['doors.ts'] }
  writeFileSync(join(world, 'tsconfig.doors.json'), JSON.stringify(config))
  const { stdout } = await inWorld('npx', 'tsc', '-p', 'tsconfig.doors.json', '--pretty', 'false').catch(
    (error) => error,
  )
  const failing = new Set(
    (stdout as string)
      .split('\n')
      .filter((line) => /^\S+\(\d/.test(line))
      .map(fileOf),
  )
  // Temporal's declarations import those of `ms`, which its package does not bring.
  expect([...failing].filter((file) => file !== 'node_modules/@temporalio/common/lib/time.d.ts')).toEqual([])
})

const fileOf = (line: string) => line.slice(0, line.indexOf('('))

it('the packed store makes the same schema as its sources', async () => {
  const packed: { migrate: typeof migrate } = await import(
    join(world, 'node_modules/@treeos/runtime/rooms/store/dist/index.js')
  )
  const fromSources = await catalogAfter(migrate)
  expect(fromSources).not.toEqual([])
  expect(await catalogAfter(packed.migrate)).toEqual(fromSources)
})

it('a command loads few files, and its stack names sources when it is debugged', async () => {
  const hooks = `import { registerHooks } from 'node:module'
    let files = 0
    registerHooks({ load: (url, context, next) => ((files += url.startsWith('file:')), next(url, context)) })
    process.on('exit', () => console.error(files))`
  writeFileSync(join(world, 'count.mjs'), hooks)
  const inbox = (...node: string[]) =>
    run('node_modules/.bin/node', [...node, 'node_modules/@treeos/cli/bin/treeos.js', 'inbox'], {
      cwd: world,
      env: { ...env, TREEOS_DEBUG: '1' },
    }).catch((error) => error as { stderr: string })
  const { stderr } = await inbox('--import', './count.mjs')
  expect(stderr).toContain('no instance of TreeOS runs')
  expect(Number(/^(\d+)$/m.exec(stderr)?.[1])).toBeLessThan(80)
  expect((await inbox()).stderr).toMatch(/local\/src\/processes\/places\.ts:\d+/)
})

it('treeos up starts the services and the portal, and the being of the new extension answers and replays', async () => {
  model = await startModelServer()
  const mind = { OPENAI_BASE_URL: model.url, TREEOS_MODEL: 'test-model' }
  await run('npx', ['treeos', 'up', '--demo', 'my-world', '--detach'], {
    cwd: world,
    env: { ...env, ...mind },
  })
  const { stdout } = await inWorld('npx', 'treeos', 'summon', '@doorman', 'Well?', '--wait', '20', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ reply: { from: '@doorman', content: 'Good day, @operator!' } })
  const replayed = await inWorld('npx', 'treeos', 'replay', '--all', '--from', 'both', '--json')
  expect(JSON.parse(replayed.stdout)).toMatchObject({ identical: true })
  const status = JSON.parse((await inWorld('npx', 'treeos', 'status', '--json')).stdout)
  const page = await (await fetch(status.portal.url)).text()
  const [script] = /\/assets\/[^"]+\.js/.exec(page) ?? []
  expect(script, 'the page that the package brings').toBeDefined()
  expect((await fetch(new URL(script as string, status.portal.url))).status).toBe(200)
  const checkpoint = new URL('/api/open/log/checkpoint', status.portal.url)
  await vi.waitUntil(async () => (await fetch(checkpoint)).ok, { timeout: 60_000 })
  writeFileSync(join(home, 'kept.note'), await (await fetch(checkpoint)).text())
  const [, size] = readFileSync(join(home, 'kept.note'), 'utf8').split('\n')
  const newer = await fetch(new URL(`/api/open/log/consistency?from=${size}`, status.portal.url))
  writeFileSync(join(home, 'newer.json'), await newer.text())
  await inWorld('npx', 'treeos', 'export', join(home, 'audit.jsonl'))
  const answered = `doorman/1/${JSON.parse(stdout).moment.n}`
  const { stdout: receipt } = await inWorld('npx', 'treeos', 'receipt', answered, '--json')
  writeFileSync(join(home, 'receipt.json'), receipt)
})

it('a world to start from is planted beside it', async () => {
  await inWorld('npx', 'treeos', 'up', '--demo', 'food')
  const asked = ['summon', '@pia', 'how were the days?', '--wait', '60', '--json']
  const { stdout } = await inWorld('npx', 'treeos', ...asked)
  expect(JSON.parse(stdout)).toMatchObject({ reply: { from: '@pia' } })
})

describe('the first five minutes of docs/api.md', () => {
  let program: NodeJS.ProcessEnv
  beforeAll(async () => {
    const json = async (...args: string[]) =>
      JSON.parse((await inWorld('npx', 'treeos', ...args, '--json')).stdout)
    const { secret } = await json('token', 'create', '@operator')
    program = { ...env, PORTAL: (await json('status')).portal.url, TOKEN: secret }
  })

  it('in curl', async () => {
    const script = `set -e\n${blockOfApi('sh', 'solomon')}`
    const { stdout } = await run('bash', ['-c', script], { env: program })
    expect(stdout).not.toContain('urn:treeos:problem')
    expect(stdout).toContain('"reply":{"from":"@solomon","content":"ok: And now?"}')
  })

  it('in Python, by the client as it is released', async () => {
    const [sources, wheels, site] = ['python', 'wheels', 'site'].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ]
    cpSync(join(root, 'clients/python'), sources, { recursive: true })
    await run('python3', ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', wheels, sources])
    const [wheel = ''] = readdirSync(wheels)
    const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-index', '--target', site]
    await run('python3', [...install, join(wheels, wheel)])
    const asked = { cwd: home, env: { ...program, PYTHONPATH: site } }
    const { stdout } = await run('python3', ['-c', blockOfApi('python', 'david')], asked)
    expect(stdout).toContain("{'from': '@david', 'content': 'ok: And now?'}")
  })

  it('in TypeScript', async () => {
    writeFileSync(join(world, 'minutes.mts'), blockOfApi('ts', 'client-http'))
    const node = join(world, 'node_modules/.bin/node')
    const running = spawn(node, ['minutes.mts'], { cwd: world, env: program, stdio: 'pipe' })
    try {
      let said = ''
      for (const stream of [running.stdout, running.stderr]) stream.on('data', (data) => (said += data))
      await vi.waitUntil(() => said.includes('@echo hello') || running.exitCode !== null, { timeout: 30_000 })
      expect(said).toContain('@echo hello')
      await inWorld('npx', 'treeos', 'summon', '@echo', 'again', '--wait', '20')
      await vi.waitUntil(() => said.trim().includes('\n') || running.exitCode !== null, { timeout: 30_000 })
      expect(said.trim().split('\n').length).toBeGreaterThan(1)
    } finally {
      if (running.exitCode === null && running.kill()) await once(running, 'exit')
    }
  })
})

it('treeos down ends them', async () => {
  await inWorld('npx', 'treeos', 'down')
})

const API = readFileSync(join(root, 'docs/api.md'), 'utf8')
/** The first block of a language that holds a text. */
function blockOfApi(language: string, text: string): string {
  const blocks = [...API.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
  return blocks.map(([, block]) => block ?? '').find((block) => block.includes(text)) ?? ''
}

it('the packed verifier checks them alone, in an empty folder with an empty home', async () => {
  const [alone, nobody] = ['alone', 'nobody'].map((name) => join(home, name)) as [string, string]
  for (const folder of [alone, nobody]) mkdirSync(folder)
  const [tarball = ''] = readdirSync(join(home, 'packed')).filter((file) => file.startsWith('treeos-verify-'))
  await run('npm', ['install', '--no-audit', '--no-fund', '--offline', join(home, 'packed', tarball)], {
    cwd: alone,
    env: { ...env, HOME: nobody },
  })
  expect(readdirSync(join(alone, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    '@treeos',
  ])
  expect(readdirSync(join(alone, 'node_modules/@treeos'))).toEqual(['verify'])
  const check = (...args: string[]) =>
    run(
      join(world, 'node_modules/.bin/node'),
      ['node_modules/@treeos/verify/dist/main.js', ...args, '--json'],
      {
        cwd: alone,
        env: { HOME: nobody },
      },
    )
  const bundle = join(home, 'audit.jsonl')
  expect(JSON.parse((await check('--bundle', bundle)).stdout)).toMatchObject({ ok: true, broken: [] })
  const told = JSON.parse((await check('--receipt', join(home, 'receipt.json'))).stdout)
  expect(told).toMatchObject({ ok: true, derived: { verdict: 'seen-to-run' } })
  const followed = await check('--checkpoint', join(home, 'kept.note'), '--newer', join(home, 'newer.json'))
  expect(JSON.parse(followed.stdout)).toMatchObject({ ok: true, broken: null })
  writeFileSync(bundle, readFileSync(bundle, 'utf8').replace('Good day', 'Bad day'))
  const { code, stdout } = await check('--bundle', bundle).catch((error) => error)
  expect(code).toBe(1)
  expect(JSON.parse(stdout).broken).toContainEqual(expect.objectContaining({ reason: 'payload-mismatch' }))
})

it('a Temporal worker of one’s own hosts beings beside its own workflows', async () => {
  for (const file of ['04-extension.ts', '05-workflows.ts', '05-own-worker.ts', '06-client.ts'])
    cpSync(join(EXAMPLES, file), join(world, file))
  const database = await emptyDatabase()
  const places = { ...env, DATABASE_URL: database.url, ...inject('temporalEnv') }
  const node = join(world, 'node_modules/.bin/node')
  const worker = spawn(node, ['05-own-worker.ts'], { cwd: world, env: places, stdio: 'pipe' })
  try {
    let said = ''
    for (const stream of [worker.stdout, worker.stderr]) stream.on('data', (data) => (said += data))
    await vi.waitUntil(() => said.includes('beings live') || worker.exitCode !== null, { timeout: 60_000 })
    expect(said).toContain('its own workflow counted 1,2,3')
    const [, people] = /TREEOS_PEOPLE_DATABASE_URL=(\S+)/.exec(said) ?? []
    const client = { ...places, TREEOS_PEOPLE_DATABASE_URL: people }
    const { stdout } = await run(node, ['06-client.ts'], { cwd: world, env: client })
    expect(stdout).toContain('@flora: The figs are ripe, @operator.')
  } finally {
    if (worker.exitCode === null && worker.kill('SIGTERM')) await once(worker, 'exit')
    await database.drop()
  }
})

it('on a Node that is too old the command runs by the one that the folder has installed', async () => {
  const asNode20 = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })"
  const start = ['--import', `data:text/javascript,${encodeURIComponent(asNode20)}`]
  const treeos = join(world, 'node_modules/@treeos/cli/bin/treeos.js')
  const { stdout } = await inWorld('node_modules/.bin/node', ...start, treeos, '--version', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ version: registry.versions['@treeos/cli'] })
})
