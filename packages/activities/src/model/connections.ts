import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isJsonObject, isKey, type Json, type JsonObject, quote, TreeosError } from '@treeos/core'
import { type ModelEndpoint, modelEndpoint, requireBaseUrl, requireKey } from './endpoint.ts'

const FIELDS = ['baseUrl', 'model', 'apiKeyEnv', 'apiKeyFile']

/** A connection as the file writes it: where it goes, and where its key is. The file holds no keys. */
interface Written {
  readonly baseUrl: string
  readonly model: string
  /** name of the variable that holds the key */
  readonly apiKeyEnv?: string
  /** file that holds the key, seen from the folder of this file */
  readonly apiKeyFile?: string
}

type Env = Readonly<Record<string, string | undefined>>

/** In the folder of an instance, read when TREEOS_MODELS is not set. */
const MODELS_FILE = 'models.json'

/** The file of named model connections: TREEOS_MODELS, else `models.json` in TREEOS_DATA; null where there is none. */
export function modelsFile(env: Env): string | null {
  if (env.TREEOS_MODELS) return env.TREEOS_MODELS
  const file = env.TREEOS_DATA ? join(env.TREEOS_DATA, MODELS_FILE) : null
  return file !== null && existsSync(file) ? file : null
}

/**
 * Reads the named model connections of the operator: `{"connections": {"judge": {"baseUrl": "https://host/v1",
 * "model": "…", "apiKeyEnv": "JUDGE_KEY"}}}`.
 * @param env names the file, and holds the keys that the file names
 * @throws {TreeosError} INVALID_INPUT naming the file, the connection and the field; it quotes no key
 */
export function readConnections(env: Env): ModelEndpoint[] {
  const file = modelsFile(env)
  if (file === null) return []
  return Object.entries(readFile(file)).map(([connection, value]) => {
    const { baseUrl, model, ...key } = parse(file, connection, value)
    const at = `${file}: connection ${connection}`
    return modelEndpoint({
      connection,
      model,
      baseUrl: requireBaseUrl(baseUrl, `${at}: baseUrl`),
      apiKey: requireKey(keyOf(key, file, at, env), `${at}: its key`),
    })
  })
}

/** Names of the variables that hold keys of the named connections. @throws {TreeosError} INVALID_INPUT */
export function keyVariables(env: Env): string[] {
  const file = modelsFile(env)
  if (file === null) return []
  return Object.entries(readFile(file)).flatMap(([name, value]) => parse(file, name, value).apiKeyEnv ?? [])
}

function readFile(file: string): JsonObject {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw wrong(`${file} cannot be read: ${(error as Error).message}`)
  }
  const connections = isJsonObject(content) ? content.connections : undefined
  if (!isJsonObject(connections)) throw wrong(`${file} takes an object with connections by name`)
  return connections
}

function parse(file: string, name: string, value: Json | undefined): Written {
  const at = `${file}: connection ${quote(name)}`
  if (!isKey(name)) throw wrong(`${at} needs a kebab-case name of up to 64 characters`)
  if (!isJsonObject(value)) throw wrong(`${at} takes an object with baseUrl and model`)
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field))
  if (unknown === 'apiKey')
    throw wrong(
      `${at} holds a key: put it into a variable and name that in apiKeyEnv, or into a file and name that in apiKeyFile`,
    )
  if (unknown !== undefined) throw wrong(`${at} has ${quote(unknown)}; it takes ${FIELDS.join(', ')}`)
  for (const field of FIELDS) {
    const given = value[field]
    const isOptional = field.startsWith('apiKey')
    if (given === undefined && isOptional) continue
    if (typeof given !== 'string' || given.trim() === '') throw wrong(`${at}: ${field} takes a text`)
  }
  if (value.apiKeyEnv !== undefined && value.apiKeyFile !== undefined)
    throw wrong(`${at} takes either apiKeyEnv or apiKeyFile`)
  return value as unknown as Written
}

function keyOf(
  { apiKeyEnv, apiKeyFile }: Pick<Written, 'apiKeyEnv' | 'apiKeyFile'>,
  file: string,
  at: string,
  env: Env,
): string | null {
  if (apiKeyEnv !== undefined) {
    const key = env[apiKeyEnv]?.trim()
    if (!key) throw wrong(`${at} names the variable ${apiKeyEnv} for its key, which is not set`)
    return key
  }
  if (apiKeyFile === undefined) return null
  try {
    return readFileSync(resolve(dirname(file), apiKeyFile), 'utf8').trim()
  } catch (error) {
    throw wrong(`${at}: apiKeyFile cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

const wrong = (message: string) => new TreeosError('INVALID_INPUT', message)
