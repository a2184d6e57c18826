import { readFile } from 'node:fs/promises'
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from '@temporalio/worker'
import { describe, expect, it } from 'vitest'
import { treeos, workflowsPath } from './treeos.ts'

/** Variables and collections at the top of a module, which code could change. */
const STATE = /^(?:export )?(?:let|var) .*|^(?:export )?const .*new (?:Map|Set|WeakMap|WeakSet)\b.*/gm
/**
 * Those that cannot change what a workflow does: constants, and a memory of compiled flows by their own
 * object.
 */
const HARMLESS = /ReadonlySet|ReadonlyMap|_KEYS = new Set|_ROOTS = new Set|^const known = new WeakMap/

describe('modules of our workflows', () => {
  it('are loaded once for all runs, beside those that a bundle names itself', () => {
    const { preloadModules } = treeos().configureBundler({ workflowsPath, preloadModules: ['/theirs.ts'] })
    expect(preloadModules).toEqual(['/theirs.ts', workflowsPath])
  })

  it('keep no state that one run could leave to another', async () => {
    const logger = new DefaultLogger('ERROR')
    const files = sourcesOf(await bundleWorkflowCode({ workflowsPath, plugins: [treeos()], logger }))
    expect(files.length).toBeGreaterThan(20)
    const states = await Promise.all(
      files.map(async (file) => (await readFile(file, 'utf8')).match(STATE) ?? []),
    )
    expect(states.flat().filter((line) => !HARMLESS.test(line))).toEqual([])
  }, 60_000)

  it.each(['let count = 0', 'export let last: string', 'const seen = new Map<string, number>()'])(
    'a control: %s is found to be state',
    (line) => expect((line.match(STATE) ?? []).filter((found) => !HARMLESS.test(found))).toEqual([line]),
  )
})

/** Files of ours in a bundle. */
function sourcesOf({ code }: WorkflowBundle): string[] {
  const map = code.slice(code.lastIndexOf('base64,') + 'base64,'.length)
  const { sources } = JSON.parse(Buffer.from(map, 'base64').toString('utf8')) as { sources: string[] }
  const root = new URL('../../../', import.meta.url).pathname
  return sources.flatMap((source) => {
    const path = /packages\/[a-z]+\/src\/.*\.ts$/.exec(source)?.[0]
    return path === undefined ? [] : [root + path]
  })
}
