import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type Prices, parsePrices } from '@treeos/host'
import { type ListenOptions, type OverlayMode, overlayModeIn, vaultOfWorker } from '@treeos/overlay'
import { LOOPBACK } from './metrics.ts'
import { StartError } from './start-error.ts'

const MODEL_TIMEOUT_SECONDS = 120
const START_SECONDS = 60
const PORT_MAX = 65_535
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export const isLogLevel = (text: string): boolean => LOG_LEVELS.includes(text)

/** The settings of a worker in its environment, apart from Temporal and the model. */
export interface Settings {
  readonly databaseUrl: string
  /** folder of the instance, which keeps histories; null without one */
  readonly dataDir: string | null
  /** after this time closed runs that are archived are deleted from Temporal; undefined: Temporal's retention decides */
  readonly keepRunsSeconds: number | undefined
  /** whether persons may act by a Temporal signal; null: only where Temporal asks its callers for a credential */
  readonly actSignal: boolean | null
  /** 0 picks a free one */
  readonly metricsPort: number
  /** IP address on which metrics are served */
  readonly metricsBind: string
  readonly modelTimeoutSeconds: number
  /** how long an outage of a model is outlived; undefined: the default */
  readonly modelPatienceSeconds: number | undefined
  /** most model tokens of an answer to a being with a budget; undefined: the model's own limit */
  readonly answerTokensMax: number | undefined
  /** by model, including the shipped ones; undefined: the shipped ones alone */
  readonly prices: Prices | undefined
  /** hosts, or host:port, with private addresses that effects may reach */
  readonly privateHosts: readonly string[]
  /** the program bwrap of this machine, in which effects run commands; null: they run none */
  readonly sandbox: string | null
  /** where it keeps overlays; null without a file for the key */
  readonly vault: ListenOptions | null
  /** what becomes of several overlays of one call */
  readonly overlayMode: OverlayMode
  /** how long each service may be away when the worker starts */
  readonly startSeconds: number
  /** an existing bundle of our workflows; null takes the one in the cache, or makes it */
  readonly bundlePath: string | null
  /** the version of this worker for Temporal's Worker Versioning; null: it has none, and takes every task of its queue */
  readonly deployment: WorkerVersion | null
  /** most beings that the worker holds in memory; undefined: as many as there is room for */
  readonly cachedBeings: number | undefined
  /** most connections of the pool to Postgres; undefined: the default */
  readonly poolMax: number | undefined
  /** longest time in ms of a mind that decides within the workflow task of its moment; undefined: the default */
  readonly shortMindMs: number | undefined
}

/** A version of the workers of a reality, as Temporal names it. */
export interface WorkerVersion {
  readonly buildId: string
  /** name of the deployment; null: the task queue of the reality */
  readonly name: string | null
}

/** Within a workflow task, for which the worker asks for more time after 8 s. */
const SHORT_MIND_MS_MAX = 7000

/**
 * @param env an empty value is an unset one
 * @throws {StartError} with the variable, its value and what it takes
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const databaseUrl = env.DATABASE_URL
  if (!databaseUrl)
    throw new StartError('DATABASE_URL is not set: `treeos up` starts everything a worker needs')
  if (env.TREEOS_LOG && !isLogLevel(env.TREEOS_LOG))
    throw new StartError(`TREEOS_LOG is ${JSON.stringify(env.TREEOS_LOG)}; it takes ${LOG_LEVELS.join(', ')}`)
  const number = (name: string, fallback: number, right: string, isRight: (value: number) => boolean) => {
    const text = env[name]
    if (!text) return fallback
    if (isRight(Number(text))) return Number(text)
    throw new StartError(`${name} is ${JSON.stringify(text)}; it takes ${right}`)
  }
  const seconds = (name: string, fallback: number) =>
    number(name, fallback, 'a number of seconds above 0', (value) => value > 0 && value < Infinity)
  return {
    databaseUrl,
    dataDir: env.TREEOS_DATA || null,
    keepRunsSeconds: env.TREEOS_KEEP_RUNS_SECONDS ? seconds('TREEOS_KEEP_RUNS_SECONDS', 0) : undefined,
    actSignal: readSwitch('TREEOS_ACT_SIGNAL', env.TREEOS_ACT_SIGNAL),
    metricsPort: number('TREEOS_METRICS_PORT', 0, `a port from 0 to ${PORT_MAX}`, isPort),
    metricsBind: readBind(env.TREEOS_METRICS_BIND),
    modelTimeoutSeconds: seconds('TREEOS_MODEL_TIMEOUT_SECONDS', MODEL_TIMEOUT_SECONDS),
    modelPatienceSeconds: env.TREEOS_MODEL_PATIENCE_SECONDS
      ? seconds('TREEOS_MODEL_PATIENCE_SECONDS', 0)
      : undefined,
    answerTokensMax: env.TREEOS_ANSWER_TOKENS
      ? number(
          'TREEOS_ANSWER_TOKENS',
          0,
          'a whole number from 1',
          (value) => Number.isSafeInteger(value) && value > 0,
        )
      : undefined,
    prices: env.TREEOS_PRICES ? readPrices(env.TREEOS_PRICES) : undefined,
    sandbox: env.TREEOS_SANDBOX || null,
    privateHosts: (env.TREEOS_FETCH_PRIVATE ?? '').split(',').flatMap((host) => host.trim() || []),
    vault: vaultOfWorker(env, env.TREEOS_DATA || null),
    overlayMode: overlayModeIn(env),
    startSeconds: seconds('TREEOS_START_SECONDS', START_SECONDS),
    bundlePath: env.TREEOS_WORKFLOW_BUNDLE || null,
    cachedBeings: env.TREEOS_CACHED_BEINGS
      ? number(
          'TREEOS_CACHED_BEINGS',
          0,
          'a whole number from 2',
          (value) => Number.isSafeInteger(value) && value >= 2,
        )
      : undefined,
    poolMax: env.TREEOS_POOL_MAX
      ? number(
          'TREEOS_POOL_MAX',
          0,
          'a whole number from 1',
          (value) => Number.isSafeInteger(value) && value >= 1,
        )
      : undefined,
    shortMindMs: env.TREEOS_SHORT_MIND_MS
      ? number(
          'TREEOS_SHORT_MIND_MS',
          0,
          'milliseconds from 0 to 7000',
          (value) => value >= 0 && value <= SHORT_MIND_MS_MAX,
        )
      : undefined,
    deployment: readDeployment(env),
  }
}

/** The variables are those that Temporal's Worker Controller sets. */
function readDeployment(env: NodeJS.ProcessEnv): WorkerVersion | null {
  const { TEMPORAL_WORKER_BUILD_ID: buildId, TEMPORAL_DEPLOYMENT_NAME: name } = env
  if (!buildId && !name) return null
  if (!buildId)
    throw new StartError(
      `TEMPORAL_DEPLOYMENT_NAME is ${JSON.stringify(name)} without TEMPORAL_WORKER_BUILD_ID, which names the version of this worker; set both, or neither`,
    )
  const refuse = (variable: string, value: string, right: string) =>
    new StartError(`${variable} is ${JSON.stringify(value)}; it takes ${right}`)
  if (!BUILD_ID.test(buildId))
    throw refuse(
      'TEMPORAL_WORKER_BUILD_ID',
      buildId,
      'at most 100 letters, digits, dots, dashes and underscores',
    )
  if (name && !DEPLOYMENT.test(name))
    throw refuse(
      'TEMPORAL_DEPLOYMENT_NAME',
      name,
      'at most 100 letters, digits, slashes, dashes and underscores',
    )
  return { buildId, name: name || null }
}
/** Temporal takes neither dots nor colons in the name of a deployment, and no `__` before either. */
const BUILD_ID = /^(?!__)[\w.-]{1,100}$/
const DEPLOYMENT = /^(?!__)[\w/-]{1,100}$/

function readSwitch(name: string, text: string | undefined): boolean | null {
  if (!text) return null
  if (text === '1' || text === '0') return text === '1'
  throw new StartError(`${name} is ${JSON.stringify(text)}; it takes 1 (on) or 0 (off)`)
}

function readBind(text: string | undefined): string {
  if (!text) return LOOPBACK
  if (isIP(text) !== 0) return text
  throw new StartError(
    `TREEOS_METRICS_BIND is ${JSON.stringify(text)}; it takes an IP address, as in 0.0.0.0`,
  )
}

function readPrices(file: string): Prices {
  try {
    return parsePrices(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new StartError(`TREEOS_PRICES is ${JSON.stringify(file)}: ${(error as Error).message}`)
  }
}

const isPort = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= PORT_MAX
