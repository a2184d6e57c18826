import { resolve } from 'node:path'
import { absoluteDataConverter, type Settings } from '@treeos/local'

/**
 * Settings of a worker that every worker of an instance shares. The others are of one process, such as its
 * metrics port, or of the portal, whose secrets no worker gets.
 */
const SHARED = /^(TREEOS_(?!PORTAL_)|TEMPORAL_CODEC_|OPENAI_|OLLAMA_HOST$)/
const OWN = [
  'TREEOS_CHECKPOINT_KEY', // and none gets what signs checkpoints
  'TREEOS_CHECKPOINT_SECONDS',
  'TREEOS_DATA',
  'TREEOS_DEBUG',
  'TREEOS_LOG',
  'TREEOS_METRICS_PORT',
  'TREEOS_OWNER_DATABASE_URL', // no worker gets the login that owns the tables
  'TREEOS_PEOPLE_DATABASE_URL', // nor one that acts for persons
  'TREEOS_REPLAY_HOURS',
  'TREEOS_SEQUENCER_DATABASE_URL',
  'TREEOS_SIGNALS_DATABASE_URL',
  'TREEOS_START_SECONDS',
  'TREEOS_WITNESSES',
  'TREEOS_WITNESS_SECONDS',
  'TREEOS_WORKFLOW_BUNDLE',
]
const FILES = ['TREEOS_HISTORIES', 'TREEOS_MODELS', 'TREEOS_PRICES', 'TREEOS_TOOLS']

/**
 * The settings of an environment that all workers of an instance share: variables by name, model keys among
 * them.
 */
export async function sharedSettings(dataDir: string, env: NodeJS.ProcessEnv): Promise<Settings> {
  const at = { ...env, TREEOS_DATA: dataDir }
  const { keyVariables, modelsFile } = await import('@treeos/host')
  const keys = modelsFile(at) === null ? [] : keyVariables(at)
  const names = Object.keys(env).filter((name) => SHARED.test(name) && !OWN.includes(name))
  const settings: Record<string, string> = Object.fromEntries(
    [...names, ...keys].flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  )
  for (const name of FILES) if (settings[name] !== undefined) settings[name] = resolve(settings[name])
  if (settings.TREEOS_DATA_CONVERTER !== undefined)
    settings.TREEOS_DATA_CONVERTER = absoluteDataConverter(settings.TREEOS_DATA_CONVERTER)
  if (settings.TREEOS_EXTENSIONS !== undefined) {
    const { absoluteModules } = await import('@treeos/worker/extensions')
    settings.TREEOS_EXTENSIONS = absoluteModules(env)
  }
  return settings
}
