import { delimiter } from 'node:path'

/** The environment of a user: without the Node, the commands and the settings that pnpm gave to this process. */
export function userEnvironment(added: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours =
    /^(npm_(?!config_)|pnpm_|NODE_|VITEST|TREEOS_|TEMPORAL_|OPENAI_|DATABASE_URL$|INIT_CWD$|TEST$|DEV$)/
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)))
  const isOurs = (folder: string) => folder.includes('node_modules') || folder.includes('node-gyp-bin')
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !isOurs(folder))
  return { ...env, PATH: path.join(delimiter), ...added }
}
