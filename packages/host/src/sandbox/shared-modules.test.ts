import { readFile } from 'node:fs/promises'
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from '@temporalio/worker'
import { parseWorkflowCode } from '@temporalio/worker/lib/worker.js'
import type { Workflow, WorkflowCreateOptions } from '@temporalio/worker/lib/workflow/interface.js'
import reusableVm from '@temporalio/worker/lib/workflow/reusable-vm.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { treeos, workflowsPath } from '../treeos.ts'

/** Variables and collections at the top of a module, which code could change. */
const STATE = /^(?:export )?(?:let|var) .*|^(?:export )?const .*new (?:Map|Set|WeakMap|WeakSet)\b.*/gm
/** Those that cannot change what a workflow does: constants, and a memory of compiled flows by their own object. */
const HARMLESS = /ReadonlySet|ReadonlyMap|_KEYS = new Set|_ROOTS = new Set|^const known = new WeakMap/

describe('modules of our workflows', () => {
  let shared: WorkflowBundle
  let apart: WorkflowBundle
  beforeAll(async () => {
    const logger = new DefaultLogger('ERROR')
    shared = await bundleWorkflowCode({ workflowsPath, plugins: [treeos()], logger })
    apart = await bundleWorkflowCode({ workflowsPath, logger })
  }, 60_000)

  it('are loaded once for all runs; without the plugin once for each run', async () => {
    const ours = async (bundle: WorkflowBundle) =>
      (await modulesOfRun(bundle)).filter((name) => /packages|temporalio/.test(name))
    expect(await ours(shared)).toEqual([])
    expect((await ours(apart)).length).toBeGreaterThan(20)
  })

  it('keep no state that one run could leave to another', async () => {
    const files = sourcesOf(shared)
    expect(files.length).toBeGreaterThan(20)
    const states = await Promise.all(
      files.map(async (file) => (await readFile(file, 'utf8')).match(STATE) ?? []),
    )
    expect(states.flat().filter((line) => !HARMLESS.test(line))).toEqual([])
  })

  it.each(['let count = 0', 'export let last: string', 'const seen = new Map<string, number>()'])(
    'a control: %s is found to be state',
    (line) => expect((line.match(STATE) ?? []).filter((found) => !HARMLESS.test(found))).toEqual([line]),
  )
})

/** Files of ours in a bundle. */
function sourcesOf({ code }: WorkflowBundle): string[] {
  const map = code.slice(code.lastIndexOf('base64,') + 'base64,'.length)
  const { sources } = JSON.parse(Buffer.from(map, 'base64').toString('utf8')) as { sources: string[] }
  const root = new URL('../../../../', import.meta.url).pathname
  return sources.flatMap((source) => {
    const path = /packages\/[a-z]+\/src\/.*\.ts$/.exec(source)?.[0]
    return path === undefined ? [] : [root + path]
  })
}

/** Names of the modules that a run loads for itself. */
async function modulesOfRun({ code }: WorkflowBundle): Promise<string[]> {
  const bundle = parseWorkflowCode(code)
  const creator = await reusableVm.ReusableVMWorkflowCreator.create(bundle, 5000, new Set(), undefined)
  const run = (await creator.createWorkflow({
    info: { workflowType: 'beingWorkflow', runId: 'run', workflowId: 'being', unsafe: {} },
    randomnessSeed: [1, 2, 3, 4],
    now: 0,
    showStackTraceSources: false,
  } as unknown as WorkflowCreateOptions)) as Workflow & { activator: { moduleCache: Map<string, unknown> } }
  const names = [...run.activator.moduleCache.keys()]
  await run.dispose()
  await creator.destroy()
  return names
}
