import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useInstance } from '../cli/instance.ts'
import { IS_NIGHT } from '../support/night.ts'
import { useModelServer } from '../support/use-world.ts'
import { lineOf } from './lines.ts'
import { differenceOf, type Step, stepsOf } from './page.ts'
import { PageShell } from './runner.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** In the order of the README's list. All of them use one instance, as a reader would. */
const ALL_PAGES = [
  'README.md',
  'docs/the-way-of-a-summon.md',
  'docs/roles.md',
  'docs/signatures.md',
  'docs/overlays.md',
  'docs/world.md',
  'docs/people.md',
  'docs/outside-words.md',
  'docs/rituals.md',
  'docs/lineage.md',
  'docs/budgets.md',
  'docs/mcp.md',
  'docs/extensions.md',
  'docs/running.md',
  'docs/temporal-ui.md',
  'docs/records.md',
  'docs/proofs.md',
  'docs/looking-back.md',
  'docs/trials.md',
  'docs/performance.md',
]
/** By day the first three. A page builds on what the pages before it made, so none between may be left out. */
const PAGES = IS_NIGHT ? ALL_PAGES : ALL_PAGES.slice(0, 3)

const model = useModelServer()
const folder = join(tmpdir(), `treeos-pages-${process.pid}`)
const cwd = join(folder, 'here')
const home = useInstance({ modelServer: model, cwd })
beforeAll(async () => {
  model.script(lineOf)
  await symlink(join(ROOT, 'docs'), join(cwd, 'docs')) // as in a checkout
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Commands that change nothing, and whose output may come a little later than the page is read. */
const LOOKING =
  /^(npx )?treeos (moments|explain|prompt|see|inbox|beings|thread (list|show)|signal get|replay|verify) /
const PATIENCE_MS = 30_000
/** A page takes some seconds on a quiet machine. */
const PAGE_MS = 300_000

interface Fault {
  readonly at: string
  readonly expected: string
  readonly printed: string
}

async function faultsOf(name: string, markdown: string): Promise<Fault[]> {
  const shell = new PageShell(home, { page: await mkdtemp(join(folder, 'page-')), cwd })
  const faults: Fault[] = []
  for (const step of stepsOf(markdown)) {
    const { ended, fault } = await tried(shell, step)
    if (fault !== null) faults.push({ at: `${name}:${step.line}: ${step.command}`, ...fault })
    if (ended) break
  }
  await shell.close()
  return faults
}

async function tried(shell: PageShell, step: Step) {
  const until = Date.now() + (LOOKING.test(`${step.command} `) ? PATIENCE_MS : 0)
  for (;;) {
    const { status, printed } = await shell.run(step)
    const fault =
      step.expected !== null
        ? differenceOf(step.expected, printed)
        : status === 0
          ? null
          : { expected: 'an end with 0', printed: `an end with ${status}: ${printed}` }
    if (fault === null || status === null || Date.now() >= until) return { ended: status === null, fault }
    await sleep(500)
  }
}

it.each(PAGES)(
  'every example of %s runs, and prints what the page shows',
  async (name) => {
    expect(await faultsOf(name, readFileSync(join(ROOT, name), 'utf8'))).toEqual([])
  },
  PAGE_MS,
)

it('a page with a wrong output and a command that fails is noticed: the control', async () => {
  const page = [
    '```console',
    '$ treeos summon @echo "hello" --wait 60',
    '@echo: good-bye',
    '$ treeos move /nowhere',
    '```',
  ]
  expect(await faultsOf('page', page.join('\n'))).toEqual([
    {
      at: 'page:2: treeos summon @echo "hello" --wait 60',
      expected: '@echo: good-bye',
      printed: '@echo: hello',
    },
    {
      at: 'page:4: treeos move /nowhere',
      expected: 'an end with 0',
      printed: expect.stringContaining('an end with 1: error SPACE_NOT_FOUND'),
    },
  ])
})
