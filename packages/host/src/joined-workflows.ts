import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { BundleOptions, WorkerOptions } from '@temporalio/worker'
import { BEING_WORKFLOW, SCHEDULE_WORKFLOW, TASK_WORKFLOW } from '@treeos/protocol'

const OURS = [BEING_WORKFLOW, SCHEDULE_WORKFLOW, TASK_WORKFLOW]

/**
 * Bundles the workflows of a host together with ours. The joined module stands in a folder of ours, so the SDK's
 * own modules are taken from where the host has them: a bundle holds one copy.
 */
export function joinWorkflows(bundle: BundleOptions, ours: string, folder: string): BundleOptions {
  const { workflowsPath: host, webpackConfigHook: hook } = bundle
  const sdk = dirname(createRequire(host).resolve('@temporalio/workflow/package.json'))
  return {
    ...bundle,
    workflowsPath: joinedModule(host, ours, folder),
    webpackConfigHook(given) {
      const config = hook?.(given) ?? given
      const alias = { ...config.resolve?.alias, '@temporalio/workflow': sdk }
      return { ...config, resolve: { ...config.resolve, alias } }
    },
  }
}

/**
 * A module with the workflows of a host and ours, whether or not the host's module exports ours again. Ours
 * take their names.
 * @param folder where it is written; of this user alone
 * @returns its path, which is the same for the same modules
 */
function joinedModule(host: string, ours: string, folder: string): string {
  const [theirs, own] = [JSON.stringify(host), JSON.stringify(ours)]
  // A default export is the host's workflow for types that have no other; `export *` leaves it out.
  const code = [
    `import * as host from ${theirs}`,
    `export * from ${theirs}`,
    `export { ${OURS.join(', ')} } from ${own}`,
    "const dynamic = 'default'",
    'export default host[dynamic]',
    '',
  ].join('\n')
  const name = createHash('sha256').update(code).digest('hex').slice(0, 16)
  const path = join(folder, `workflows-${name}.mjs`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const partial = `${path}.${randomUUID()}`
  writeFileSync(partial, code, { mode: 0o600 })
  renameSync(partial, path)
  return path
}

/**
 * Without our workflows, each task of a being would fail for as long as the worker runs.
 * @throws {Error} for a bundle that lacks them
 */
export function requireOurWorkflows({ workflowBundle }: Pick<WorkerOptions, 'workflowBundle'>): void {
  if (workflowBundle === undefined) return
  const code = 'code' in workflowBundle ? workflowBundle.code : readFileSync(workflowBundle.codePath, 'utf8')
  const lacking = OURS.filter((name) => !code.includes(name))
  if (lacking.length > 0)
    throw new Error(
      `the workflow bundle of this worker lacks ${lacking.join(', ')}: make it with \`bundleWorkflowCode({ plugins: [treeos()], … })\`, or export '@treeos/host/workflows' from its workflow module`,
    )
}
