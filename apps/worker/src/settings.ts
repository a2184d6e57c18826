import { isIP } from 'node:net'
import { fileBoundsIn, readVariables, TIMER_SECONDS, TIMER_SECONDS_MAX } from '@treeos/core'
import { createEmbedder, readPrices } from '@treeos/host'
import { LOOPBACK } from '@treeos/host/metrics'
import { overlayModeIn, vaultOfWorker } from '@treeos/overlay/vault'
import { z } from 'zod'
import { StartError } from './start-error.ts'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
/** Within a workflow task, for which the worker asks for more time after 8 s. */
const SHORT_MIND_MS_MAX = 7000
/** Each try is a call of the model, and costs. */

export const isLogLevel = (text: string): boolean => z.enum(LOG_LEVELS).safeParse(text).success

const path = z.string().nullable().default(null)
const seconds = z.coerce.number().positive()
const SECONDS = 'a number of seconds above 0'
const timerSeconds = seconds.max(TIMER_SECONDS_MAX)
const count = z.coerce.number().int()
const list = z.string().transform((text) => text.split(',').flatMap((one) => one.trim() || []))

/** The settings of a worker in its environment, apart from Temporal and the model. */
const variables = z.object({
  DATABASE_URL: z.string().describe('the URL of Postgres: `treeos up` starts everything a worker needs'),
  TREEOS_LOG: z.enum(LOG_LEVELS).optional().describe(LOG_LEVELS.join(', ')),
  /** folder of the instance, which keeps histories */
  TREEOS_DATA: path,
  /** folder of histories, such as one that all workers share; null: in the data folder */
  TREEOS_HISTORIES: path,
  /**
   * after this time closed runs that are archived are deleted from Temporal; undefined: Temporal's retention
   * decides
   */
  TREEOS_KEEP_RUNS_SECONDS: seconds.optional().describe(SECONDS),
  /** the URL of Postgres by which acts by a Temporal signal come in; undefined: they are off */
  TREEOS_SIGNALS_DATABASE_URL: z.string().optional(),
  /** 1: also where Temporal asks its callers for no credential; 0: never; null: only where it asks for one */
  TREEOS_ACT_SIGNAL: z
    .enum(['1', '0'])
    .transform((text) => text === '1')
    .nullable()
    .default(null)
    .describe('1 (on) or 0 (off)'),
  /** 0 picks a free one */
  TREEOS_METRICS_PORT: count.min(0).max(65_535).default(0).describe('a port from 0 to 65535'),
  TREEOS_METRICS_BIND: z
    .string()
    .refine((text) => isIP(text) !== 0)
    .default(LOOPBACK)
    .describe('an IP address, as in 0.0.0.0'),
  TREEOS_MODEL_TIMEOUT_SECONDS: timerSeconds.default(120).describe(TIMER_SECONDS),
  /** how long an outage of a model is outlived */
  TREEOS_MODEL_PATIENCE_SECONDS: timerSeconds.optional().describe(TIMER_SECONDS),
  /** most model tokens of an answer to a being with a budget */
  TREEOS_ANSWER_TOKENS: count.min(1).optional().describe('a whole number from 1'),
  /** a file of prices by model, which replace the shipped ones */
  TREEOS_PRICES: z.string().optional(),
  /**
   * base URL of the server of embeddings, with its model: by them notes are searched; null: by words alone
   */
  TREEOS_EMBEDDINGS_URL: path,
  TREEOS_EMBEDDINGS_MODEL: path,
  TREEOS_EMBEDDINGS_KEY: path,
  /** the program bwrap of this machine, in which effects run commands; null: they run none */
  TREEOS_SANDBOX: path,
  /** hosts, or host:port, with private addresses that effects may reach */
  TREEOS_FETCH_PRIVATE: list.default([]),
  /** how long each service may be away when the worker starts */
  TREEOS_START_SECONDS: timerSeconds.default(60).describe(TIMER_SECONDS),
  /** an existing bundle of our workflows; null takes the one in the cache, or makes it */
  TREEOS_WORKFLOW_BUNDLE: path,
  /** most beings that the worker holds in memory; undefined: as many as there is room for */
  TREEOS_CACHED_BEINGS: count.min(2).optional().describe('a whole number from 2'),
  /** most connections of the pool to Postgres */
  TREEOS_POOL_MAX: count.min(1).optional().describe('a whole number from 1'),
  /** longest time in ms of a mind that decides within the workflow task of its moment */
  TREEOS_SHORT_MIND_MS: z.coerce
    .number()
    .min(0)
    .max(SHORT_MIND_MS_MAX)
    .optional()
    .describe(`milliseconds from 0 to ${SHORT_MIND_MS_MAX}`),
  // Temporal's Worker Controller sets the next two. Temporal takes neither dots nor colons in the name of a
  // deployment.
  TEMPORAL_WORKER_BUILD_ID: z
    .string()
    .regex(/^(?!__)[\w.-]{1,100}$/)
    .optional()
    .describe('at most 100 letters, digits, dots, dashes and underscores'),
  TEMPORAL_DEPLOYMENT_NAME: z
    .string()
    .regex(/^(?!__)[\w/-]{1,100}$/)
    .optional()
    .describe('at most 100 letters, digits, slashes, dashes and underscores'),
})

/** A version of the workers of a reality, as Temporal names it. */
export interface WorkerVersion {
  readonly buildId: string
  /** name of the deployment; null: the task queue of the reality */
  readonly name: string | null
}

export type Settings = ReturnType<typeof readSettings>

/**
 * @param env an empty value is an unset one
 * @throws {TreeosError | StartError} with the variable, its value and what it takes
 */
export function readSettings(env: NodeJS.ProcessEnv) {
  const set = readVariables(variables, env)
  return {
    ...set,
    prices: set.TREEOS_PRICES === undefined ? undefined : readPrices(set.TREEOS_PRICES),
    embedder: embedderIn(set, env),
    /** how much is kept of the files that effects bring */
    fileBounds: fileBoundsIn(env),
    /** where it keeps overlays; null without a file for the key */
    vault: vaultOfWorker(env, set.TREEOS_DATA),
    /** what becomes of several overlays of one call */
    overlayMode: overlayModeIn(env),
    deployment: deploymentIn(set),
  }
}

/** @throws {StartError} where only one of address and model is set */
function embedderIn(set: z.output<typeof variables>, env: NodeJS.ProcessEnv) {
  const {
    TREEOS_EMBEDDINGS_URL: baseUrl,
    TREEOS_EMBEDDINGS_MODEL: model,
    TREEOS_EMBEDDINGS_KEY: apiKey,
  } = set
  if (baseUrl === null && model === null) return null
  if (baseUrl === null || model === null)
    throw new StartError(
      'TREEOS_EMBEDDINGS_URL and TREEOS_EMBEDDINGS_MODEL belong together: set both, or neither',
    )
  return createEmbedder({ baseUrl, model, apiKey }, env)
}

/** Null: the worker has no version for Temporal's Worker Versioning, and takes every task of its queue. */
function deploymentIn(set: z.output<typeof variables>): WorkerVersion | null {
  const { TEMPORAL_WORKER_BUILD_ID: buildId, TEMPORAL_DEPLOYMENT_NAME: name = null } = set
  if (buildId !== undefined) return { buildId, name }
  if (name === null) return null
  throw new StartError(
    `TEMPORAL_DEPLOYMENT_NAME is ${JSON.stringify(name)} without TEMPORAL_WORKER_BUILD_ID, which names the version of this worker; set both, or neither`,
  )
}
