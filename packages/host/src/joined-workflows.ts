import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { BundleOptions, WorkerOptions } from '@temporalio/worker'
import { BEING_WORKFLOW, CALL_WORKFLOW, SCHEDULE_WORKFLOW, TASK_WORKFLOW } from '@treeos/protocol'

const OURS = [BEING_WORKFLOW, SCHEDULE_WORKFLOW, TASK_WORKFLOW, CALL_WORKFLOW]

/**
 * Bundles the workflows of a host together with ours. The joined module stands in a folder of ours, so all that
 * is named by a package is looked for from the host, too, and the SDK of workflows is the one that the host has:
 * a bundle holds one copy.
 */
export function joinWorkflows(bundle: BundleOptions, ours: string, folder: string): BundleOptions {
  const { workflowsPath: host, webpackConfigHook: hook } = bundle
  const fromHost = createRequire(host)
  const sdk = sdkFrom(fromHost) ?? sdkFrom(createRequire(ours))
  const joined = joinedModule(host, ours, folder)
  return {
    ...bundle,
    workflowsPath: joined,
    webpackConfigHook(given) {
      const config = hook?.(given) ?? given
      const { alias, modules = ['node_modules'] } = config.resolve ?? {}
      const folders = fromHost.resolve.paths('a-package') ?? []
      return {
        ...config,
        plugins: [...(config.plugins ?? []), refusingTakenNames(joined, host)],
        resolve: {
          ...config.resolve,
          modules: [...modules, ...folders],
          ...(sdk === null ? {} : { alias: { ...alias, [SDK]: sdk } }),
        },
      }
    },
  }
}

type WebpackPlugin = NonNullable<
  ReturnType<NonNullable<BundleOptions['webpackConfigHook']>>['plugins']
>[number]

/**
 * Refuses to bundle where the host has a workflow of its own under one of our names: ours would take its place.
 * It may export ours again. What a CommonJS module exports is not known here.
 */
const refusingTakenNames = (joined: string, host: string): WebpackPlugin => ({
  apply: (compiler) =>
    compiler.hooks.compilation.tap('treeos', ({ hooks, moduleGraph }) =>
      // after webpack's own plugin, which finds what modules export
      hooks.finishModules.tapPromise({ name: 'treeos', stage: 1000 }, async (modules) => {
        const [entry] = [...modules].filter((one) => one.nameForCondition() === realpathSync(joined))
        if (entry === undefined) return
        const [link] = [...moduleGraph.getOutgoingConnections(entry)].filter(
          ({ dependency }) => (dependency as { readonly request?: string } | null)?.request === host,
        )
        const module = link?.module
        if (module?.buildMeta?.exportsType !== 'namespace') return
        const exported = moduleGraph.getExportsInfo(module)
        const sourceOf = (name: string) =>
          exported.getReadOnlyExportInfo(name).getTarget(moduleGraph)?.module ?? module
        const taken = OURS.filter(
          (name) => exported.isExportProvided(name) === true && !isOfOurPackages(sourceOf(name)),
        )
        if (taken.length > 0)
          throw new Error(
            `the workflow module ${host} has a workflow ${taken.join(', ')} of its own, and TreeOS has one of that name: rename it`,
          )
      }),
    ),
})

/** Each of our packages may hold a copy: they are bundled door by door when they are published. */
const isOfOurPackages = (module: object): boolean =>
  (
    module as { readonly resourceResolveData?: { readonly descriptionFileData?: { readonly name?: string } } }
  ).resourceResolveData?.descriptionFileData?.name?.startsWith('@treeos/') === true

/** What workflow code is written against; @treeos/workflows brings it along. */
const SDK = '@temporalio/workflow'

/** The folder of the SDK of workflows as a module finds it; null where it does not. */
function sdkFrom(require: NodeJS.Require): string | null {
  try {
    return dirname(require.resolve(`${SDK}/package.json`))
  } catch {
    return null
  }
}

/**
 * A module with the workflows of a host and ours, whether or not the host's module exports ours again. Ours
 * take their names.
 * @param folder where it is kept, of this user alone; where it cannot be, it is written to one that is used once
 * @returns its path
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
  const file = `workflows-${name}.mjs`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return written(join(folder, file), code)
  } catch {
    return written(join(mkdtempSync(join(tmpdir(), 'treeos-')), file), code)
  }
}

function written(path: string, code: string): string {
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
