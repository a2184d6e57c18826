import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { publishable } from '../../scripts/packages.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../..')

/** Builds every package that is published, and packs it into a tarball in `folder`, as a release does. */
export async function packAll(folder: string): Promise<void> {
  mkdirSync(folder)
  const pnpm = process.env.npm_execpath ?? 'pnpm'
  await run(pnpm, ['run', 'build'], { cwd: ROOT })
  const packages = publishable().map((one) => join(ROOT, one.folder))
  await Promise.all(packages.map((cwd) => run(pnpm, ['pack', '--pack-destination', folder], { cwd })))
}

/** The environment of a user: without the Node, the commands and the settings that pnpm gave to this process. */
export function userEnvironment(added: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours =
    /^(npm_(?!config_)|pnpm_|NODE_|VITEST|TREEOS_|TEMPORAL_|OPENAI_|DATABASE_URL$|INIT_CWD$|TEST$|DEV$)/
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)))
  const isOurs = (folder: string) => folder.includes('node_modules') || folder.includes('node-gyp-bin')
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !isOurs(folder))
  return { ...env, PATH: path.join(delimiter), ...added }
}
