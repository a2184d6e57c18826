import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isKey, messageOfThrown, TreeosError, textOfBytes } from '@treeos/core'
import { z } from 'zod'
import { API_NAMES } from './apis/shape.ts'
import {
  type ModelEndpoint,
  modelEndpoint,
  requireBaseUrl,
  requireKeptKey,
  requireKey,
  resolveModelEndpoint,
} from './endpoint.ts'
import { parseFile } from './parse-file.ts'

/** Fields of a request that are not the operator's: they are what a being says, may do and may use. */
const FIXED = [
  'model',
  'messages',
  'tools',
  'tool_choice',
  'stream',
  'n',
  'max_tokens',
  'max_completion_tokens',
]
/** Name of the reality's own model among the connections, as fallbacks and signals name it. */
export const DEFAULT_CONNECTION = 'default'

const text = z.string('takes a text').regex(/\S/, 'takes a text')
/** A connection as the file writes it: where it goes, and where its key is. The file holds no keys. */
const connection = z
  .strictObject(
    {
      baseUrl: text,
      model: text,
      /** connections that stand in for it, in order, when it gives no answer */
      fallbacks: z.array(z.string()).optional(),
      api: z.enum(API_NAMES, `takes one of ${API_NAMES.join(', ')}`).optional(),
      /** whether it is sent pictures; left out, it is tried */
      pictures: z.boolean('takes true or false').optional(),
      /** fields of each request, such as temperature */
      parameters: z
        .record(z.string(), z.json())
        .refine(
          (own) => !FIXED.some((field) => Object.hasOwn(own, field)),
          `takes no field that TreeOS sets: ${FIXED.join(', ')}`,
        )
        .optional(),
      /** name of the variable that holds the key */
      apiKeyEnv: text.optional(),
      /** file that holds the key, seen from the folder of this file */
      apiKeyFile: text.optional(),
      apiKey: z
        .undefined(
          'is a key: put it into a variable and name that in apiKeyEnv, or into a file and name that in apiKeyFile',
        )
        .optional(),
    },
    'takes baseUrl, model, api, pictures, parameters, fallbacks, and apiKeyEnv or apiKeyFile',
  )
  .refine(
    ({ apiKeyEnv, apiKeyFile }) => apiKeyEnv === undefined || apiKeyFile === undefined,
    'takes either apiKeyEnv or apiKeyFile',
  )
const models = z.object({
  /** connections that stand in for the default model of the reality */
  fallbacks: z.array(z.string()).optional(),
  connections: z.record(
    z.string().refine((name) => isKey(name) && name !== DEFAULT_CONNECTION),
    connection,
    {
      error: ({ code }) =>
        code === 'invalid_key'
          ? `needs a kebab-case name of up to 64 characters, and ${DEFAULT_CONNECTION} is the model of the reality itself`
          : 'takes an object of connections by name',
    },
  ),
})

type ConnectionsEnv = Readonly<Record<string, string | undefined>>

/** In the folder of an instance, read when TREEOS_MODELS is not set. */
const MODELS_FILE = 'models.json'

/**
 * The file of named model connections: TREEOS_MODELS, else `models.json` in TREEOS_DATA; null where there is
 * none.
 */
export function modelsFile(env: ConnectionsEnv): string | null {
  if (env.TREEOS_MODELS) return env.TREEOS_MODELS
  const file = env.TREEOS_DATA ? join(env.TREEOS_DATA, MODELS_FILE) : null
  return file !== null && existsSync(file) ? file : null
}

/**
 * Reads the named model connections of the operator: `{"connections": {"judge": {"baseUrl":
 * "https://host/v1", "model": "…", "apiKeyEnv": "JUDGE_KEY"}}}`.
 * @param env names the file, and holds the keys that the file names
 * @throws {TreeosError} INVALID_INPUT naming the file, the connection and the field; it quotes no key
 */
export function readConnections(env: ConnectionsEnv): ModelEndpoint[] {
  const file = modelsFile(env)
  if (file === null) return []
  const { connections, fallbacks } = parseFile(file, models)
  requireKnown(fallbacks, Object.keys(connections), `${file}: fallbacks`)
  return Object.entries(connections).map(
    ([connection, { baseUrl, model, api, pictures, parameters, fallbacks, ...key }]) => {
      const at = `${file}: connections.${connection}`
      const others = [...Object.keys(connections).filter((name) => name !== connection), DEFAULT_CONNECTION]
      requireKnown(fallbacks, others, `${at}.fallbacks`)
      const address = {
        baseUrl: requireBaseUrl(baseUrl, `${at}.baseUrl`),
        apiKey: requireKey(connectionKey(key, file, at, env), `${at}: its key`),
      }
      requireKeptKey(address, env, `${at}.baseUrl`)
      return modelEndpoint({
        connection,
        model,
        ...address,
        ...(parameters === undefined ? {} : { parameters }),
        ...(api === undefined ? {} : { api }),
        ...(pictures === undefined ? {} : { pictures }),
        ...(fallbacks === undefined ? {} : { fallbacks }),
      })
    },
  )
}

/**
 * The model of the reality itself, with the connections that stand in for it.
 * @returns null when the environment names none and no Ollama answers
 * @throws {TreeosError} INVALID_INPUT
 */
export async function resolveDefaultModel(env: ConnectionsEnv): Promise<ModelEndpoint | null> {
  const endpoint = await resolveModelEndpoint(env)
  const file = modelsFile(env)
  const { fallbacks } = file === null ? {} : parseFile(file, models)
  if (endpoint === null || fallbacks === undefined) return endpoint
  // a copy has no key, which cannot be enumerated
  return modelEndpoint({ ...endpoint, apiKey: endpoint.apiKey, fallbacks })
}

function requireKnown(names: readonly string[] = [], known: readonly string[], at: string): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new TreeosError(
      'INVALID_INPUT',
      `${at} names ${JSON.stringify(unknown)}; there is ${known.join(', ')}`,
    )
}

/** Names of the variables that hold keys of the named connections. @throws {TreeosError} INVALID_INPUT */
export function keyVariables(env: ConnectionsEnv): string[] {
  const file = modelsFile(env)
  if (file === null) return []
  return Object.values(parseFile(file, models).connections).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? [])
}

function connectionKey(
  { apiKeyEnv, apiKeyFile }: Pick<z.output<typeof connection>, 'apiKeyEnv' | 'apiKeyFile'>,
  file: string,
  at: string,
  env: ConnectionsEnv,
): string | null {
  if (apiKeyEnv !== undefined) {
    const key = env[apiKeyEnv]?.trim()
    if (key) return key
    throw new TreeosError(
      'INVALID_INPUT',
      `${at} names the variable ${apiKeyEnv} for its key, which is not set`,
    )
  }
  if (apiKeyFile === undefined) return null
  try {
    return textOfBytes(readFileSync(resolve(dirname(file), apiKeyFile))).trim()
  } catch (error) {
    throw new TreeosError(
      'INVALID_INPUT',
      `${at}: apiKeyFile cannot be read: ${(error as NodeJS.ErrnoException).code ?? messageOfThrown(error)}`,
    )
  }
}
