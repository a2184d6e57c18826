import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { LocalError } from '../machine/error.ts'
import { readIfThere, writeWhole } from '../machine/files.ts'

/** Variables of an environment by name. */
export type Settings = Readonly<Record<string, string>>

/** A key goes to the server that it was given with, so these are taken together. */
const MODEL = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OLLAMA_HOST']
const ALONG = ['TREEOS_MODEL']

const fileOf = (dataDir: string): string => join(dataDir, 'settings.json')

/**
 * Stores the settings of an instance's worker, for the workers that join it: variables by name, model keys
 * among them. Only our user can read the file, and `forgetSettings` removes it when the instance stops.
 */
export function saveSettings(dataDir: string, settings: Settings): void {
  writeWhole(fileOf(dataDir), `${JSON.stringify(settings, null, 2)}\n`)
}

/** Names of wanted settings that have another value than those of the running instance. */
export function unappliedSettings(dataDir: string, wanted: Settings): string[] {
  const kept = readSettings(dataDir)
  return Object.keys(wanted)
    .filter((name) => wanted[name] !== kept[name])
    .sort()
}

export function forgetSettings(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true })
}

/**
 * The environment with what the instance's settings add. A variable that is set wins; a model of its own wins
 * as a whole.
 */
export function withSettings(dataDir: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const settings = readSettings(dataDir)
  const isOwnModel = MODEL.some((name) => env[name] && env[name] !== settings[name])
  const added = Object.entries(settings).filter(
    ([name]) => !env[name] && !(isOwnModel && [...MODEL, ...ALONG].includes(name)),
  )
  return { ...env, ...Object.fromEntries(added) }
}

/**
 * What `saveSettings` stored; nothing where no worker was started.
 * @throws {LocalError} INVALID_INPUT naming a file that holds no settings; the error of a file that cannot be
 *   read
 */
function readSettings(dataDir: string): Settings {
  const file = fileOf(dataDir)
  const text = readIfThere(file)
  if (text === null) return {}
  const settings = jsonIn(text)
  if (isSettings(settings)) return settings
  throw new LocalError(`${file} holds no settings: \`treeos down\`, and then \`treeos up\` writes it again`, {
    code: 'INVALID_INPUT',
  })
}

/** Null for text that is not JSON. The message of that fault would quote the text, which holds keys. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** By hand: commands load this file, and zod takes a quarter of a second to load. */
const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) => typeof one === 'string')
