import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Instance,
  instanceDir,
  isRunning,
  type Process,
  processStart,
  readInstance,
  type Service,
  temporalEnvironment,
} from '@treeos/local'
import type { InstanceOptions } from '../cli.ts'
import { unavailable } from '../text/failure.ts'
import { userPath } from '../text/folder.ts'

export const WORKER_PREFIX = 'worker-'
export const PORTAL = 'portal'
export const CHECKPOINTS = 'checkpoints'
/** The record of the process that keeps an instance up: a `treeos up`, or the supervisor of a detached one. */
export const UP = 'up'

export function dataDirOf({ data }: InstanceOptions): string {
  return instanceDir({ data: data === undefined ? undefined : userPath(data) })
}

export const isAlive = (service: Service): boolean => service.process === null || isRunning(service.process)

export function serviceOf(instance: Instance, name: string): Service | null {
  return instance.services.find((service) => service.name === name) ?? null
}

/** The process that keeps the instance up; null when none does. */
export function keeperOf(dataDir: string): number | null {
  const keeper = serviceOf(readInstance(dataDir), UP)
  return keeper?.process != null && isAlive(keeper) ? keeper.process.pid : null
}

export const isWorker = (service: Service): boolean => service.name.startsWith(WORKER_PREFIX)

/** Workers whose process runs. */
export function runningWorkers(dataDir: string): (Service & { readonly process: Process })[] {
  const workers = readInstance(dataDir).services.filter(isWorker)
  return workers.filter(
    (service): service is Service & { process: Process } =>
      service.process !== null && isRunning(service.process),
  )
}

/** Where running workers serve their metrics. A worker that has not reported it yet is left out. */
export function metricsOf(dataDir: string): { readonly pid: number; readonly url: string }[] {
  return runningWorkers(dataDir).flatMap(({ process: { pid }, detail }) =>
    detail?.metrics == null ? [] : [{ pid, url: detail.metrics }],
  )
}

export const hasWorker = (dataDir: string): boolean => runningWorkers(dataDir).length > 0

/** The option by which commands reach this instance; empty for the default one of the current folder. */
export function dataFlag(dataDir: string): string {
  return dataDir === join(process.cwd(), '.treeos') ? '' : ` --data ${dataDir}`
}

/** This process, as instances record it. */
export function ourselves(): Process {
  return { pid: process.pid, startedAt: processStart(process.pid) ?? '' }
}

/** How to reach Postgres. The URL holds a password; the address is for people. */
export interface PostgresPlace {
  /** as the role of workers, which owns nothing when the server is ours */
  readonly url: string
  /** as the owner of our tables */
  readonly ownerUrl: string
  readonly address: string
}

const HINT = '`treeos status` shows what runs, and `treeos up` (or `npx pnpm@12.21.0 start`) starts it'

/** @throws {TreeosError} SERVICE_UNAVAILABLE saying how to start */
export function locatePostgres(dataDir: string, env: NodeJS.ProcessEnv = process.env): PostgresPlace {
  const { DATABASE_URL: named, TREEOS_OWNER_DATABASE_URL: owner } = env
  if (named) return { url: named, ownerUrl: owner || named, address: addressOf(named) }
  const service = requireService(dataDir, 'postgres', 'Postgres')
  if (service.process === null) {
    throw unavailable(
      `the instance in ${dataDir} uses your own Postgres at ${service.address}: set DATABASE_URL to it`,
    )
  }
  const urlAs = (user: string, file: string) =>
    `postgres://${user}:${readFileSync(join(dataDir, 'postgres', file), 'utf8').trim()}@${service.address}/treeos`
  const ownerUrl = urlAs('treeos', 'password')
  const hasWorkerLogin = existsSync(join(dataDir, 'postgres', 'worker-password')) // older versions made none
  const url = hasWorkerLogin ? urlAs('treeos_worker', 'worker-password') : ownerUrl
  return { url, ownerUrl, address: service.address }
}

/**
 * How the portal reaches Postgres: by a login of its own. Null when the Postgres is the user's own and no login is named.
 * @throws {TreeosError} SERVICE_UNAVAILABLE saying how to start
 */
export function locatePortalPostgres(
  dataDir: string,
  env: NodeJS.ProcessEnv = process.env,
): LoginPlace | null {
  return locateLogin(dataDir, env, env.TREEOS_PORTAL_DATABASE_URL, 'treeos_web', 'portal-password')
}

/** The same for the process that sequences the log and signs checkpoints. */
export function locateSequencerPostgres(
  dataDir: string,
  env: NodeJS.ProcessEnv = process.env,
): LoginPlace | null {
  const { TREEOS_SEQUENCER_DATABASE_URL: named } = env
  return locateLogin(dataDir, env, named, 'treeos_sequence', 'sequencer-password')
}

type LoginPlace = Pick<PostgresPlace, 'url' | 'address'>

function locateLogin(
  dataDir: string,
  { DATABASE_URL: own }: NodeJS.ProcessEnv,
  named: string | undefined,
  login: string,
  passwordFile: string,
): LoginPlace | null {
  if (named) return { url: named, address: addressOf(named) }
  if (own) return null
  const { process: known, address } = requireService(dataDir, 'postgres', 'Postgres')
  const file = join(dataDir, 'postgres', passwordFile)
  if (known === null || !existsSync(file)) return null
  return { url: `postgres://${login}:${readFileSync(file, 'utf8').trim()}@${address}/treeos`, address }
}

/** How to reach Temporal: `env` names it to our programs, with its credential. */
export type TemporalPlace =
  | { readonly kind: 'environment'; readonly env: NodeJS.ProcessEnv }
  | {
      readonly kind: 'instance'
      readonly env: NodeJS.ProcessEnv
      readonly address: string
      readonly namespace: string
    }

export function namesTemporal(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.TEMPORAL_ADDRESS || env.TEMPORAL_PROFILE || env.TEMPORAL_CONFIG_FILE)
}

/** Whether there is a Temporal to look at: one that the settings name, or one that was started for the instance. */
export const hasTemporal = (dataDir: string, env: NodeJS.ProcessEnv): boolean =>
  namesTemporal(env) || serviceOf(readInstance(dataDir), 'temporal') !== null

/** Where people look at workflows; no UI is known of a Temporal that is not ours. */
export function temporalUiOf(dataDir: string): { readonly ui: string | null; readonly namespace: string } {
  const { ui = null, namespace } = serviceOf(readInstance(dataDir), 'temporal')?.detail ?? {}
  return { ui, namespace: namespace ?? 'default' }
}

/** @throws {TreeosError} SERVICE_UNAVAILABLE saying how to start */
export function locateTemporal(dataDir: string, env: NodeJS.ProcessEnv = process.env): TemporalPlace {
  if (namesTemporal(env)) return { kind: 'environment', env }
  const { address, detail } = requireService(dataDir, 'temporal', 'Temporal')
  const namespace = detail?.namespace ?? 'default'
  return { kind: 'instance', env: temporalEnvironment(dataDir, env), address, namespace }
}

function requireService(dataDir: string, name: string, title: string): Service {
  const instance = readInstance(dataDir)
  const service = serviceOf(instance, name)
  if (service === null) {
    throw unavailable(
      `no instance of TreeOS runs in ${dataDir}: start it with \`npx treeos up --data ${dataDir}\`, or name another with --data`,
    )
  }
  if (isAlive(service)) return service
  throw unavailable(`${title} at ${service.address} has ended: ${HINT}`)
}

/** Host, port and database of a URL, without who connects. */
export function addressOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? 'DATABASE_URL (not a URL)' : `${parsed.host}${parsed.pathname}`
}

/** The URL without its password and query. */
export function withoutSecrets(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return addressOf(url)
  return `${parsed.protocol}//${parsed.username === '' ? '' : `${parsed.username}@`}${parsed.host}${parsed.pathname}`
}

/** The error of a service that failed during a command, in the user's terms. */
export function serviceDown(title: string, address: string, reason: string): Error {
  return unavailable(`${title} at ${address} does not answer (${reason}): ${HINT}`)
}
