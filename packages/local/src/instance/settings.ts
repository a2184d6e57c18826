import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isJsonObject, TreeosError } from '@treeos/core'
import { readIfThere, writePrivate } from '@treeos/local'

/**
 * Settings of a worker that every worker of an instance shares. The others are of one process, such as its metrics port, or of
 * the portal, whose secrets no worker gets.
 */
const SHARED = /^(TREEOS_(?!PORTAL_)|OPENAI_|OLLAMA_HOST$)/
const OWN = [
  'TREEOS_CHECKPOINT_KEY', // and none gets what signs checkpoints
  'TREEOS_CHECKPOINT_SECONDS',
  'TREEOS_DATA',
  'TREEOS_DEBUG',
  'TREEOS_LOG',
  'TREEOS_METRICS_PORT',
  'TREEOS_OWNER_DATABASE_URL', // no worker gets the login that owns the tables
  'TREEOS_QUICK_ENTRY',
  'TREEOS_SEQUENCER_DATABASE_URL',
  'TREEOS_START_SECONDS',
  'TREEOS_WORKFLOW_BUNDLE',
]
/** A key goes to the server that it was given with, so these are taken together. */
const MODEL = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OLLAMA_HOST']
const ALONG = ['TREEOS_MODEL']
const FILES = ['TREEOS_MODELS', 'TREEOS_PRICES']

const fileOf = (dataDir: string): string => join(dataDir, 'settings.json')

/**
 * Stores the settings of an instance's worker, for the workers that join it: variables by name, model keys among them. Only
 * our user can read the file, and `forgetSettings` removes it when the instance stops.
 */
export async function keepSettings(dataDir: string, env: NodeJS.ProcessEnv): Promise<void> {
  writePrivate(fileOf(dataDir), `${JSON.stringify(await settingsIn(dataDir, env), null, 2)}\n`)
}

/** Names of settings in an environment that have another value than those of the running instance. */
export async function unappliedSettings(dataDir: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const kept = readSettings(dataDir)
  const wanted = await settingsIn(dataDir, env)
  return Object.keys(wanted)
    .filter((name) => wanted[name] !== kept[name])
    .sort()
}

async function settingsIn(dataDir: string, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const at = { ...env, TREEOS_DATA: dataDir }
  const { keyVariables, modelsFile } = await import('@treeos/host')
  const keys = modelsFile(at) === null ? [] : keyVariables(at)
  const names = Object.keys(env).filter((name) => SHARED.test(name) && !OWN.includes(name))
  const settings: Record<string, string> = Object.fromEntries(
    [...names, ...keys].flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  )
  for (const name of FILES) if (settings[name] !== undefined) settings[name] = resolve(settings[name])
  if (settings.TREEOS_EXTENSIONS !== undefined) {
    const { absoluteModules } = await import('@treeos/worker/extensions')
    settings.TREEOS_EXTENSIONS = absoluteModules(env)
  }
  return settings
}

export function forgetSettings(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true })
}

/** The environment with what the instance's settings add. A variable that is set wins; a model of its own wins as a whole. */
export function withSettings(dataDir: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const settings = readSettings(dataDir)
  const isOwnModel = MODEL.some((name) => env[name] && env[name] !== settings[name])
  const added = Object.entries(settings).filter(
    ([name]) => !env[name] && !(isOwnModel && [...MODEL, ...ALONG].includes(name)),
  )
  return { ...env, ...Object.fromEntries(added) }
}

/**
 * What `keepSettings` stored; nothing where no worker of this version was started.
 * @throws {TreeosError} INVALID_INPUT naming a file that holds no settings; the error of a file that cannot be read
 */
function readSettings(dataDir: string): Record<string, string> {
  const file = fileOf(dataDir)
  const text = readIfThere(file)
  if (text === null) return {}
  const settings = jsonIn(text)
  if (isSettings(settings)) return settings
  throw new TreeosError(
    'INVALID_INPUT',
    `${file} holds no settings: \`treeos down\`, and then \`treeos up\` writes it again`,
  )
}

/** Null for text that is not JSON. The message of that fault would quote the text, which holds keys. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const isSettings = (value: unknown): value is Record<string, string> =>
  isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string')
