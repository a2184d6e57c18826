import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const rulesFile = join(root, '.dependency-cruiser.mjs')
const depcruise = join(root, 'node_modules/.bin/depcruise')
const { default: config } = (await import(rulesFile)) as { default: { forbidden: { name: string }[] } }

/** Of each stage but the last a file that imports one of the next stage. */
const breakingStages = (prefix: string, folder: string, order: readonly string[]) =>
  order.slice(0, -1).map((stage, i) => ({
    rule: `${prefix}-${stage}`,
    file: `${folder}/${stage}/a.ts`,
    line: `import '../${order[i + 1]}/a.ts'`,
  }))

/**
 * Lines that break exactly the rule they stand under, each in a file of its own, in a small tree like ours.
 */
const breaking: { rule: string; file: string; line: string }[] = [
  { rule: 'arrows-of-core', file: 'packages/core/src/a.ts', line: `import type { D } from '@treeos/roles'` },
  { rule: 'arrows-of-roles', file: 'packages/roles/src/a.ts', line: `import { d } from '@treeos/world'` },
  { rule: 'arrows-of-world', file: 'packages/world/src/a.ts', line: `import { d } from '@treeos/store'` },
  { rule: 'arrows-of-world', file: 'packages/world/src/c.ts', line: `import { d } from '@treeos/overlay'` },
  { rule: 'arrows-of-overlay', file: 'packages/overlay/src/a.ts', line: `import { d } from '@treeos/store'` },
  { rule: 'arrows-of-store', file: 'packages/store/src/a.ts', line: `export type * from '@treeos/world'` },
  {
    rule: 'arrows-of-signature',
    file: 'packages/signature/src/a.ts',
    line: `import { d } from '@treeos/world'`,
  },
  { rule: 'arrows-of-activities', file: 'packages/activities/src/a.ts', line: `import '@treeos/workflows'` },
  {
    rule: 'arrows-of-workflows',
    file: 'packages/workflows/src/a.ts',
    line: `import type { D } from '@treeos/store'`,
  },
  {
    rule: 'arrows-of-sdk',
    file: 'packages/sdk/src/a.ts',
    line: `export const d = await import('@treeos/store')`,
  },
  { rule: 'arrows-of-tools', file: 'packages/tools/src/a.ts', line: `import { d } from '@treeos/store'` },
  { rule: 'arrows-of-host', file: 'packages/host/src/a.ts', line: `import { d } from '@treeos/replay'` },
  {
    rule: 'arrows-of-protocol',
    file: 'packages/protocol/src/a.ts',
    line: `import type { D } from '@treeos/world'`,
  },
  {
    rule: 'arrows-of-reality',
    file: 'packages/reality/src/a.ts',
    line: `import { d } from '@treeos/protocol'`,
  },
  {
    rule: 'arrows-of-client',
    file: 'packages/client/src/a.ts',
    line: `import { d } from '@treeos/activities'`,
  },
  {
    rule: 'arrows-of-world-file',
    file: 'packages/world-file/src/a.ts',
    line: `import { d } from '@treeos/host'`,
  },
  {
    rule: 'arrows-of-trials',
    file: 'packages/trials/src/a.ts',
    line: `import { d } from '@treeos/client'`,
  },
  {
    rule: 'arrows-of-replay',
    file: 'packages/replay/src/a.ts',
    line: `import { d } from '@treeos/sdk'`,
  },
  {
    rule: 'arrows-of-telemetry',
    file: 'packages/telemetry/src/a.ts',
    line: `import { d } from '@treeos/client'`,
  },
  { rule: 'arrows-of-egress', file: 'packages/egress/src/a.ts', line: `import { d } from '@treeos/store'` },
  {
    rule: 'arrows-of-postgres',
    file: 'packages/postgres/src/a.ts',
    line: `import { d } from '@treeos/core'`,
  },
  { rule: 'one-way-to-postgres', file: 'packages/store/src/from-pg.ts', line: `import pg from 'pg'` },
  { rule: 'one-way-to-postgres', file: 'apps/portal/src/from-pg.ts', line: `import pg from 'pg'` },
  {
    rule: 'arrows-of-client-http',
    file: 'packages/client-http/src/a.ts',
    line: `import { d } from '@treeos/core'`,
  },
  { rule: 'arrows-of-local', file: 'packages/local/src/a.ts', line: `import { d } from '@treeos/core'` },
  { rule: 'arrows-of-verify', file: 'packages/verify/src/a.ts', line: `import { d } from '@treeos/store'` },
  { rule: 'arrows-of-proofs', file: 'packages/proofs/src/a.ts', line: `import { d } from '@treeos/sdk'` },
  {
    rule: 'verifier-stands-alone',
    file: 'packages/verify/src/b.ts',
    line: `import type { Any } from 'declared'`,
  },
  { rule: 'no-cycles', file: 'packages/store/src/circle.ts', line: `export type * from './circle-back.ts'` },
  { rule: 'packages-are-on-the-map', file: 'packages/utils/src/a.ts', line: `import '@treeos/core'` },
  {
    rule: 'only-what-is-declared',
    file: 'packages/store/src/b.ts',
    line: `import '@treeos/core/src/index.ts'`,
  },
  { rule: 'only-what-is-declared', file: 'packages/client/src/b.ts', line: `import '@treeos/undeclared'` },
  { rule: 'only-own-dependencies', file: 'packages/client/src/c.ts', line: `import 'borrowed'` },
  {
    rule: 'by-name-never-by-path',
    file: 'packages/roles/src/b.ts',
    line: `import '../../core/src/index.ts'`,
  },
  { rule: 'pure-stays-pure', file: 'packages/core/src/b.ts', line: `import { hash } from 'node:crypto'` },
  { rule: 'pure-stays-pure', file: 'packages/world/src/b.ts', line: `import type { Any } from 'declared'` },
  { rule: 'signatures-are-pure', file: 'packages/signature/src/b.ts', line: `import 'node:fs'` },
  { rule: 'sandbox-through-workflow-doors', file: 'packages/workflows/src/b.ts', line: `import 'node:fs'` },
  {
    rule: 'sandbox-through-workflow-doors',
    file: 'packages/workflows/src/c.ts',
    line: `import '@treeos/core'`,
  },
  { rule: 'sandbox-through-workflow-doors', file: 'packages/workflows/src/d.ts', line: `import 'declared'` },
  {
    rule: 'sandbox-closure-without-node',
    file: 'packages/protocol/src/workflow.ts',
    line: `import './impure.ts'`,
  },
  { rule: 'extensions-see-only-the-sdk', file: 'extensions/library/src/a.ts', line: `import '@treeos/core'` },
  { rule: 'extensions-see-only-the-sdk', file: 'extensions/library/src/b.ts', line: `import 'node:fs'` },
  {
    rule: 'extensions-see-only-the-sdk',
    file: 'examples/worlds/court/src/a.ts',
    line: `import '@treeos/core'`,
  },
  { rule: 'examples-are-users', file: 'examples/a.ts', line: `import { d } from '@treeos/store'` },
  {
    rule: 'testing-in-tests-alone',
    file: 'extensions/library/src/c.ts',
    line: `import '@treeos/sdk/testing'`,
  },
  { rule: 'mcp-through-the-client', file: 'apps/mcp/src/a.ts', line: `import { d } from '@treeos/store'` },
  {
    rule: 'portal-through-the-client',
    file: 'apps/portal/src/a.ts',
    line: `import { d } from '@treeos/world'`,
  },
  {
    rule: 'portal-through-the-client',
    file: 'apps/portal/src/b.ts',
    line: `import { d } from '@treeos/replay'`,
  },
  {
    rule: 'page-apart-from-its-server',
    file: 'apps/portal/page/src/a.ts',
    line: `import { d } from '@treeos/core'`,
  },
  {
    rule: 'page-apart-from-its-server',
    file: 'apps/portal/page/src/b.ts',
    line: `import { fine } from '../../src/fine.ts'`,
  },
  ...breakingStages('roles', 'packages/roles/src', ['shape', 'parse', 'evaluate', 'explain']),
  ...breakingStages('overlay', 'packages/overlay/src', ['shape', 'resolve', 'vault']),
  ...breakingStages('client', 'packages/client/src', [
    'access',
    'beings',
    'roles',
    'addresses',
    'spaces',
    'moments',
    'threads',
    'overlays',
    'inbox',
    'approvals',
    'spending',
    'audit',
    'redteam',
    'summons',
    'seats',
  ]),
  ...breakingStages('local', 'packages/local/src', [
    'machine',
    'instance',
    'postgres',
    'temporal',
    'processes',
    'health',
  ]),
  ...breakingStages('verify', 'packages/verify/src', ['forms', 'due', 'bundle', 'receipt']),
  ...breakingStages('activities', 'packages/activities/src', [
    'guard',
    'outside',
    'model',
    'files',
    'moments',
    'mind',
    'stamp',
    'live',
  ]),
  ...breakingStages('world', 'packages/world/src', [
    'rows',
    'read',
    'gates',
    'views',
    'orientation',
    'extend',
    'moment',
    'operations',
    'verbs',
    'law',
    'seed',
  ]),
  ...breakingStages('command-line', 'apps/cli/src', [
    'text',
    'login',
    'instance',
    'health',
    'show',
    'served',
    'debug',
    'commands',
  ]),
  ...breakingStages('store', 'packages/store/src', ['sql', 'ledger', 'rows', 'inbox', 'moments', 'access']),
  ...breakingStages('proofs', 'packages/proofs/src', ['tree', 'log', 'verify', 'realities', 'bundles']),
  ...['words', 'asked', 'sharing', 'map'].map((room) => ({
    rule: 'page-words-below',
    file: `apps/portal/page/src/${room}/a.ts`,
    line: `import '../inbox/a.ts'`,
  })),
  { rule: 'apps-are-ends', file: 'apps/worker/src/a.ts', line: `import { d } from '@treeos/mcp'` },
  { rule: 'worker-without-proofs', file: 'apps/worker/src/b.ts', line: `import { d } from '@treeos/proofs'` },
]

/** What the rules allow, side by side with the above: none of these files may be named in a violation. */
const allowed: Record<string, string> = {
  'packages/roles/src/fine.ts': `import { d } from '@treeos/core'\nimport type { D } from '@treeos/core/workflow'`,
  'packages/core/src/fine.test.ts': `import 'node:fs'\nimport 'declared'`,
  'packages/protocol/src/impure.ts': `import 'node:crypto'`,
  'packages/workflows/src/fine.ts': `import '@treeos/core/workflow'\nimport type { D } from '@treeos/protocol'`,
  'packages/postgres/src/fine.ts': `import 'pg'`,
  'packages/store/src/fine.test.ts': `import 'pg'`,
  'packages/store/src/fine.ts': `import 'declared'\nimport 'node:fs'\nimport '@treeos/core'`,
  'packages/store/src/access/a.ts': `import '../sql/fine.ts'`,
  'packages/store/src/sql/fine.ts': '',
  'packages/proofs/src/bundles/a.ts': `import '../tree/fine.ts'`,
  'packages/proofs/src/tree/fine.ts': '',
  'packages/roles/src/explain/a.ts': `import '../shape/fine.ts'`,
  'packages/roles/src/shape/fine.ts': '',
  'packages/overlay/src/vault/a.ts': `import '../shape/fine.ts'`,
  'packages/overlay/src/shape/fine.ts': '',
  'packages/client/src/seats/a.ts': `import '../access/fine.ts'`,
  'packages/client/src/access/fine.ts': '',
  'packages/verify/src/receipt/a.ts': `import '../bundle/fine.ts'\nimport 'node:crypto'`,
  'packages/verify/src/bundle/fine.ts': '',
  'packages/local/src/health/a.ts': `import '../machine/fine.ts'`,
  'packages/local/src/machine/fine.ts': '',
  'packages/activities/src/live/a.ts': `import '../guard/fine.ts'`,
  'packages/activities/src/guard/fine.ts': '',
  'extensions/library/src/fine.ts': `import '@treeos/sdk'\nimport './finer.ts'`,
  'extensions/library/src/finer.ts': '',
  'examples/worlds/court/src/fine.ts': `import '@treeos/sdk'\nimport './finer.ts'`,
  'examples/worlds/court/src/finer.ts': '',
  'extensions/library/src/fine.test.ts': `import '@treeos/sdk/testing'`,
  'examples/fine.ts': `import '@treeos/client'\nimport '@treeos/sdk/testing'\nimport 'declared'`,
  'apps/mcp/src/fine.ts': `import '@treeos/client'\nimport '@treeos/core'\nimport '@treeos/world'\nimport 'declared'`,
  'apps/portal/src/fine.ts': `import '@treeos/client'\nimport '@treeos/store'\nimport '@treeos/replay/what-if'\nexport const fine = 1`,
  'apps/portal/page/src/inbox/a.ts': '',
  'apps/portal/page/src/fine.ts': `import type { fine } from '../../src/fine.ts'\nimport 'declared'`,
  'packages/world/src/seed/a.ts': `import '../rows/fine.ts'`,
  'packages/world/src/rows/fine.ts': '',
  'apps/cli/src/commands/a.ts': `import '../text/fine.ts'`,
  'apps/cli/src/text/fine.ts': '',
  'apps/worker/src/fine.ts': `import '@treeos/host'\nimport '@treeos/store'`,
  'apps/cli/src/fine.ts': `import '@treeos/worker'\nimport '@treeos/store'`,
}

type Violation = { from: string; to: string; rule: { name: string }; cycle?: { name: string }[] }

/** A circle is reported once, from any one of its files. */
const concerns = (file: string) => (violation: Violation) =>
  violation.from === file || violation.cycle?.some(({ name }) => name === file)

/** The json reporter exits 0 whatever it found, so the plain one, which the check runs, is asked too. */
async function cruise(cwd: string): Promise<{ exitCode: number; violations: Violation[] }> {
  const run = (reporter: string) =>
    new Promise<{ exitCode: number; stdout: string; stderr: string }>((done) => {
      const args = [
        'packages',
        'apps',
        'extensions',
        'examples',
        'test',
        '--config',
        rulesFile,
        '-T',
        reporter,
      ]
      const options = { cwd, maxBuffer: 2 ** 28 }
      const child = execFile(depcruise, args, options, (_, stdout, stderr) =>
        done({ exitCode: child.exitCode ?? -1, stdout, stderr }),
      )
    })
  const [plain, json] = await Promise.all([run('err'), run('json')])
  if (json.exitCode !== 0) throw new Error(`the rules could not be run in ${cwd}: ${json.stderr}`)
  return { exitCode: plain.exitCode, violations: JSON.parse(json.stdout).summary.violations }
}

/**
 * Every package of ours with every other one, and `declared`, among its dependencies; `borrowed` is the
 * root's only.
 */
async function plant(tree: string): Promise<void> {
  const folders = [
    ...'core egress client-http roles signature overlay world store protocol reality workflows activities sdk tools telemetry client host replay local verify proofs postgres trials world-file utils'
      .split(' ')
      .map((name) => `packages/${name}`),
    'apps/cli',
    'apps/mcp',
    'apps/portal',
    'apps/worker',
    'extensions/library',
    'examples/worlds/court',
    'examples',
    'test',
  ]
  const put = async (file: string, text: string) => {
    await mkdir(dirname(join(tree, file)), { recursive: true })
    await writeFile(join(tree, file), text)
  }
  const nameOf = (folder: string) => `@treeos/${folder.split('/').at(-1)}`
  for (const name of ['declared', 'borrowed', 'pg']) {
    await put(`node_modules/${name}/package.json`, JSON.stringify({ name, exports: './index.js' }))
    await put(`node_modules/${name}/index.js`, '')
  }
  await put('package.json', '{}')
  for (const folder of folders) {
    const dependencies = Object.fromEntries(
      [...folders.map(nameOf), 'declared', 'pg'].map((name) => [name, '*']),
    )
    const doors = ['workflow', 'testing', 'what-if'].map((door) => [`./${door}`, `./src/${door}.ts`])
    const exports = { '.': './src/index.ts', ...Object.fromEntries(doors) }
    await put(`${folder}/package.json`, JSON.stringify({ name: nameOf(folder), exports, dependencies }))
    await put(`${folder}/src/index.ts`, 'export const d = 1\nexport type D = 1')
    await put(`${folder}/src/workflow.ts`, 'export const d = 1\nexport type D = 1')
    await put(`${folder}/src/testing.ts`, '')
    await put(`${folder}/src/what-if.ts`, '')
    await mkdir(join(tree, folder, 'node_modules/@treeos'), { recursive: true })
    for (const other of folders)
      await symlink(join(tree, other), join(tree, folder, 'node_modules', nameOf(other)))
  }
  await put('packages/store/src/circle-back.ts', `export type * from './circle.ts'`)
  for (const [file, text] of Object.entries(allowed)) await put(file, text)
  for (const { file, line } of breaking) await put(file, line)
}

describe('import rules', () => {
  let tree = ''
  let found: Awaited<ReturnType<typeof cruise>>

  beforeAll(async () => {
    tree = await mkdtemp(join(tmpdir(), 'treeos-import-rules-'))
    await plant(tree)
    found = await cruise(tree)
  })
  afterAll(() => rm(tree, { recursive: true, force: true }))

  it('fail a tree which breaks them', () => expect(found.exitCode).toBeGreaterThan(0))

  it.each(breaking)('$rule refuses in $file: $line', ({ rule, file }) => {
    const rules = found.violations.filter(concerns(file)).map((violation) => violation.rule.name)
    expect(new Set(rules)).toEqual(new Set([rule]))
  })

  it.each(Object.keys(allowed))('allow what %s imports', (file) => {
    expect(found.violations.filter(concerns(file))).toEqual([])
  })

  it('are each proven above', () => {
    expect(new Set(breaking.map(({ rule }) => rule))).toEqual(
      new Set(config.forbidden.map(({ name }) => name)),
    )
  })
})
