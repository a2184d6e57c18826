import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { keeperOf, onEnding, restartWorkers, stopInstance, withSettings } from '@treeos/local'
import { absoluteModules } from '@treeos/worker/extensions'
import { keepDemo, loadKeptDemo } from '../../instance/demo.ts'
import { programs } from '../../instance/programs.ts'
import { messageOf, UsageError } from '../../text/failure.ts'
import type { Output } from '../../text/output.ts'
import { watchFiles } from '../../text/watch-files.ts'
import { bringUp } from './bring-up.ts'

/**
 * Keeps an instance up while somebody writes an extension: each change of its files ends the workers in order
 * and starts others with the new code. Code that cannot be loaded is told, and the workers go on with what
 * they have.
 * @param options.demo whose scene is planted, and again when it has changed
 * @throws {UsageError} where TREEOS_EXTENSIONS names no file of one's own
 */
export async function develop(
  dataDir: string,
  { demo, portal }: { readonly demo: string | null; readonly portal: boolean },
  out: Output,
): Promise<void> {
  const folders = ownFolders(withSettings(dataDir, process.env))
  const wasUp = keeperOf(dataDir) !== null
  const isNewDemo = demo !== null && (await keepDemo(dataDir, demo))
  const ending = onEnding({ watch: true })
  try {
    if (!wasUp) await bringUp(dataDir, { detach: true, portal, demo: null }, out)
    if (wasUp && isNewDemo) await loadKeptDemo(dataDir, demo, out)
    if (demo !== null) await plant(dataDir, demo)
    const told = wasUp ? 'ends this and leaves the instance up' : 'stops the instance'
    out.progress(`watching ${folders.join(', ')}; Ctrl-C ${told}`)
    const watching = new AbortController()
    const watched = watchFiles(folders, { signal: watching.signal }, (files) =>
      reload(dataDir, demo, files, out).catch((error: unknown) => out.progress(messageOf(error))),
    )
    await ending.promise
    watching.abort()
    await watched
  } finally {
    ending.release()
    if (!wasUp) await stopInstance(dataDir, (line) => out.progress(line))
  }
}

/** The folders of the modules that TREEOS_EXTENSIONS names, without installed packages. */
function ownFolders(env: NodeJS.ProcessEnv): string[] {
  const modules = absoluteModules(env).split(',')
  const own = modules.filter((file) => file !== '' && !file.includes('/node_modules/'))
  if (own.length > 0) return [...new Set(own.map((file) => dirname(file)))]
  throw new UsageError(
    'TREEOS_EXTENSIONS names no file of your own: set it in .env, as in TREEOS_EXTENSIONS=./src/index.ts',
  )
}

async function reload(
  dataDir: string,
  demo: string | null,
  files: readonly string[],
  out: Output,
): Promise<void> {
  const from = performance.now()
  const [first = '', ...more] = files
  out.progress(`changed: ${first}${more.length > 0 ? ` and ${more.length} more` : ''}`)
  // In a process of its own: this one keeps the code that it has loaded once.
  if (!(await runTreeos('extensions', '--data', dataDir))) {
    out.progress('it cannot be loaded: the workers go on with the code before')
    return
  }
  if (!(await restartWorkers(dataDir))) {
    out.progress('no worker runs that could be started anew: `treeos doctor` says why')
    return
  }
  if (demo !== null) await plant(dataDir, demo)
  out.progress(`reloaded in ${((performance.now() - from) / 1000).toFixed(1)} s`)
}

const plant = (dataDir: string, demo: string) =>
  runTreeos('dev', '--plant', '--demo', demo, '--data', dataDir)

/** What it says on standard error is shown. @returns whether it ended well */
async function runTreeos(...args: string[]): Promise<boolean> {
  const child = spawn(process.execPath, [programs.treeos, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true, // Ctrl-C is for this process
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code === 0
}
