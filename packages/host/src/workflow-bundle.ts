import { createHash, randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BundleOptions, Logger, WorkerOptions, WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { bundlesFolder } from './bundles-folder.ts'
import { treeos, workflowsPath } from './treeos.ts'
import { waitReason } from './wait-for.ts'

export interface WorkflowBundleOptions {
  /** modules of interceptors of workflows, by path */
  readonly interceptors?: readonly string[]
  /** where bundles are kept; else `treeos/bundles` in XDG_CACHE_HOME or ~/.cache */
  readonly folder?: string
  /** its converters run in the sandbox of workflows, so they are part of the bundle; codecs are not */
  readonly dataConverter?: WorkerOptions['dataConverter']
  /** workflows other than ours */
  readonly workflowsPath?: string
  /**
   * hears why a bundle could not be kept, so that each start takes longer; else Node warns of it on standard
   * error
   */
  readonly onProblem?: (message: string) => void
}

type Bundle = Pick<WorkflowBundleWithSourceMap, 'code'>

/** What a kept bundle was made of. */
interface Parts {
  readonly files: readonly string[]
  readonly digest: string
}

const SDK = createRequire(import.meta.url)('@temporalio/worker/package.json').version as string

/**
 * The bundle of our workflows for `Worker.create({ workflowBundle })`. Making one takes a second or two of
 * processor time, so it is kept. A kept one is taken while every file that it was made of is as it was.
 */
export async function workflowBundle(options: WorkflowBundleOptions = {}): Promise<Bundle> {
  const {
    interceptors = [],
    folder = bundlesFolder(),
    workflowsPath: path = workflowsPath,
    onProblem = warn,
    dataConverter: { payloadConverterPath, failureConverterPath } = {},
  } = options
  // The plugin itself does not stand in the key, but what it adds.
  const bundling = treeos().configureBundler({
    workflowsPath: path,
    workflowInterceptorModules: [...interceptors],
    ...(payloadConverterPath === undefined ? {} : { payloadConverterPath }),
    ...(failureConverterPath === undefined ? {} : { failureConverterPath }),
  })
  const key = sha256(JSON.stringify([SDK, process.version, bundling])).slice(0, 16)
  const kept = await findKept(folder, key)
  if (kept !== null) return kept
  const files: string[] = []
  // loaded here: commands take other things from this package
  const { bundleWorkflowCode } = await import('@temporalio/worker')
  const { code } = await bundleWorkflowCode({
    ...bundling,
    webpackConfigHook: (config) => noteFiles(files)(bundling.webpackConfigHook?.(config) ?? config),
    logger: quiet,
  })
  await keep(folder, key, { files, code }).catch((error: unknown) => {
    onProblem(`the bundle of the workflows cannot be kept in ${folder}: ${waitReason(error)}`)
  })
  return { code }
}

async function findKept(folder: string, key: string): Promise<Bundle | null> {
  try {
    const parts: Parts = JSON.parse(await readFile(join(folder, `${key}.json`), 'utf8'))
    if ((await filesDigest(parts.files)) !== parts.digest) return null
    return { code: await readFile(join(folder, `${key}-${parts.digest}.js`), 'utf8') }
  } catch {
    return null // none is kept, it is damaged, or a file that it was made of is gone
  }
}

/** The bundle first: who finds the list of its parts finds it too. Bundles of older parts go. */
async function keep(folder: string, key: string, made: { files: string[]; code: string }): Promise<void> {
  const parts: Parts = { files: made.files.sort(), digest: await filesDigest(made.files) }
  const name = `${key}-${parts.digest}.js`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await replace(join(folder, name), made.code)
  await replace(join(folder, `${key}.json`), JSON.stringify(parts))
  for (const old of await readdir(folder))
    if (old.startsWith(`${key}-`) && old.endsWith('.js') && old !== name) await rm(join(folder, old))
}

async function replace(path: string, text: string): Promise<void> {
  const partial = `${path}.${randomUUID()}`
  await writeFile(partial, text, { mode: 0o600 })
  await rename(partial, path)
}

async function filesDigest(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const [i, text] of (await Promise.all(files.map((file) => readFile(file)))).entries())
    hash.update(`${files[i]}\0${text.length}\0`).update(text)
  return hash.digest('hex')
}

/** The SDK makes up one file, which imports the workflows, and webpack also lists folders. */
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

/** Notes the files that webpack read. */
function noteFiles(files: string[]): NonNullable<BundleOptions['webpackConfigHook']> {
  return (config) => {
    const plugin: NonNullable<typeof config.plugins>[number] = {
      apply: (compiler) =>
        compiler.hooks.done.tap('treeos', ({ compilation }) => {
          files.push(...[...compilation.fileDependencies].filter(isFile))
        }),
    }
    return { ...config, plugins: [...(config.plugins ?? []), plugin] }
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const warn = (message: string): void => process.emitWarning(message)
const ignore = () => undefined
const quiet: Logger = {
  log: ignore,
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: console.error,
}
