import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CliInstance } from './instance.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../..')
const CREATE = join(ROOT, 'apps/create-treeos/src/main.ts')

const folder = mkdtempSync(join(tmpdir(), 'treeos-create-'))
const made = join(folder, 'my-hello')
let home: CliInstance
beforeAll(() => {
  home = new CliInstance(() => ({
    TREEOS_EXTENSIONS: join(made, 'src/index.ts'),
    TREEOS_WORKFLOW_BUNDLE: '',
  }))
})
afterAll(async () => {
  await home.remove()
  rmSync(folder, { recursive: true })
})

const create = (...args: string[]) => run(process.execPath, [CREATE, ...args], { cwd: folder })

it.each([
  [['My World'], 'is not a name'],
  [[], 'give one folder'],
  [['a', 'b'], 'give one folder'],
  [['a', '--from', folder], 'is not a checkout of TreeOS'],
  [['a', '--fast'], '--fast'],
])('%j is wrong usage, and makes nothing', async (args, says) => {
  await expect(create(...args)).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(says) })
})

it('has the test that the guide shows', () => {
  const guide = readFileSync(join(ROOT, 'docs/extensions.md'), 'utf8')
  const [, shown] = /```ts\n([^`]*from '@treeos\/sdk\/testing'[\s\S]*?)```/.exec(guide) ?? []
  expect(readFileSync(join(ROOT, 'apps/create-treeos/template/src/index.test.ts'), 'utf8')).toContain(shown)
})

it('makes a world with an extension of its own, which compiles, whose test passes, and which lives and replays', async () => {
  const { stdout } = await create('my-hello', '--from', ROOT)
  expect(stdout).toContain('npx pnpm@12.21.0 install')
  await expect(create('my-hello')).rejects.toMatchObject({ stderr: expect.stringContaining('not empty') })
  const source = readFileSync(join(made, 'src/index.ts'), 'utf8')
  expect(source).toContain("name: 'my-hello'")
  const pnpm = process.env.npm_execpath ?? ''
  expect(pnpm, 'run by pnpm').toMatch(/pnpm/)
  await run(pnpm, ['install', '--offline'], { cwd: made })
  const typecheck = () => run(pnpm, ['run', 'typecheck'], { cwd: made })
  await typecheck()
  await run(process.execPath, ['--test', 'src/index.test.ts'], { cwd: made, env: withoutRunner() })

  writeFileSync(
    join(made, 'src/index.ts'),
    source.replace("canDo: ['my-hello:greet']", "canDo: ['my-hello:gret']"),
  )
  await expect(typecheck()).rejects.toMatchObject({ stdout: expect.stringContaining('"my-hello:gret"') })
  writeFileSync(join(made, 'src/index.ts'), source)

  const { status, stderr } = await home.run(['up', '--detach', '--demo', 'my-hello'])
  expect(status, stderr).toBe(0)
  expect(await home.json(['summon', '@doorman', 'well?', '--wait', '20'])).toMatchObject({
    reply: { from: '@doorman', content: 'Good day, @operator!' },
  })
  expect(await home.json(['signal', 'get', 'my-hello'])).toEqual({ last: 'doorman' })
  const greeting = ['do', '@echo', 'my-hello:greet', '--args', '{"words":""}']
  expect(await home.refusal(greeting)).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await home.json(['replay', '--all', '--from', 'both'])).toMatchObject({ identical: true })
}, 180_000)

/** Node's own runner refuses to run within another one's variables. */
function withoutRunner(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _own, VITEST: _other, ...env } = process.env
  return env
}

it.each([
  ['./nowhere.ts', /cannot be loaded/],
  ['no-such-package', /is not a package/],
  ['./empty.ts', /has no default export made by defineExtension/],
])('a module without an extension is named: %s', async (name, says) => {
  mkdirSync(join(folder, 'odd'), { recursive: true })
  writeFileSync(join(folder, 'odd/empty.ts'), 'export default {}\n')
  const { code, message } = await home.refusal(['extensions'], {
    env: { TREEOS_EXTENSIONS: name.startsWith('.') ? join(folder, 'odd', name) : name },
  })
  expect(code).toBe('INVALID_INPUT')
  expect(message).toMatch(says)
})
