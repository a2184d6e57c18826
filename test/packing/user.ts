import { delimiter } from 'node:path'

/**
 * The environment of a user: without the Node, the commands and the settings that pnpm gave to this process.
 * The certificates by which this machine reaches its registries stay.
 */
export function userEnvironment(added: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours =
    /^(npm_(?!config_)|pnpm_|NODE_(?!EXTRA_CA_CERTS)|VITEST|TREEOS_|TEMPORAL_|OPENAI_|DATABASE_URL$|INIT_CWD$|TEST$|DEV$)/
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)))
  const isOurs = (folder: string) => folder.includes('node_modules') || folder.includes('node-gyp-bin')
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !isOurs(folder))
  return { ...env, PATH: path.join(delimiter), ...added }
}
