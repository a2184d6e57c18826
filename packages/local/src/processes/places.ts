import { join } from 'node:path'
import { isAlive, readInstance, type Service } from '../instance/instance.ts'
import { serviceOf } from '../instance/services.ts'
import { withSettings } from '../instance/settings.ts'
import { LocalError } from '../machine/error.ts'
import { readIfThere } from '../machine/files.ts'
import { shellWord } from '../machine/shell-word.ts'
import { type LoginRole, OWNER, PEOPLE, PORTAL, SEQUENCER, SIGNALS, WORKER } from '../postgres/logins.ts'
import { urlOf } from '../postgres/server.ts'
import { temporalEnvironment } from '../temporal/access.ts'

/** How to reach Postgres. The URL holds a password; the address is for people. */
export interface LoginPlace {
  readonly url: string
  readonly address: string
}

/** How workers reach Postgres: as a role that owns nothing when the server is ours. */
export interface PostgresPlace extends LoginPlace {
  /** as commands, which act for persons: no worker has it */
  readonly peopleUrl: string
  /** as the owner of our tables */
  readonly ownerUrl: string
}

const HINT = '`treeos status` shows what runs, and `treeos up` starts it'

/** The option by which commands reach this instance; empty for the default one of the current folder. */
export function dataFlag(dataDir: string): string {
  return dataDir === join(process.cwd(), '.treeos') ? '' : ` --data ${shellWord(dataDir)}`
}

/** @throws {LocalError} saying how to start */
export function locatePostgres(dataDir: string, env: NodeJS.ProcessEnv = process.env): PostgresPlace {
  const { DATABASE_URL: named, TREEOS_OWNER_DATABASE_URL: owner, TREEOS_PEOPLE_DATABASE_URL: people } = env
  if (named)
    return {
      url: named,
      peopleUrl: people || owner || named,
      ownerUrl: owner || named,
      address: addressOf(named),
    }
  const service = requireService(dataDir, 'postgres', 'Postgres')
  const [url, peopleUrl, ownerUrl] = [WORKER, PEOPLE, OWNER].map((role) => loginUrl(dataDir, service, role))
  if (url == null || peopleUrl == null || ownerUrl == null)
    throw new LocalError(
      `the instance in ${dataDir} uses your own Postgres at ${service.address}: set DATABASE_URL to it`,
    )
  return { url, peopleUrl, ownerUrl, address: service.address }
}

/**
 * How the portal reaches Postgres: by a login of its own. Null when the Postgres is the user's own and no
 * login is named.
 * @throws {LocalError} saying how to start
 */
export const locatePortalPostgres = (dataDir: string, env = process.env): LoginPlace | null =>
  locateLogin(dataDir, env, env.TREEOS_PORTAL_DATABASE_URL, PORTAL)

/**
 * How a worker puts acts by a Temporal signal into inboxes. Null where the operator turned such acts off by
 * TREEOS_ACT_SIGNAL=0. The worker takes none from a Temporal that asks for no credential.
 */
export const locateSignalsPostgres = (dataDir: string, env = process.env): LoginPlace | null =>
  env.TREEOS_ACT_SIGNAL === '0' ? null : locateLogin(dataDir, env, env.TREEOS_SIGNALS_DATABASE_URL, SIGNALS)

/** The same for the process that sequences the log and signs checkpoints. */
export const locateSequencerPostgres = (dataDir: string, env = process.env): LoginPlace | null =>
  locateLogin(dataDir, env, env.TREEOS_SEQUENCER_DATABASE_URL, SEQUENCER)

function locateLogin(
  dataDir: string,
  { DATABASE_URL: own }: NodeJS.ProcessEnv,
  named: string | undefined,
  role: LoginRole,
): LoginPlace | null {
  if (named) return { url: named, address: addressOf(named) }
  if (own) return null
  const service = requireService(dataDir, 'postgres', 'Postgres')
  const url = loginUrl(dataDir, service, role)
  return url === null ? null : { url, address: service.address }
}

/** @returns null for a server that is not ours */
function loginUrl(
  dataDir: string,
  { process, address, detail }: Service,
  { login, passwordFile }: LoginRole,
): string | null {
  const password = process === null ? null : readIfThere(join(dataDir, 'postgres', passwordFile))
  if (password === null) return null
  const port = Number(address.slice(address.lastIndexOf(':') + 1))
  const server = { port, socketFolder: detail?.socketFolder ?? null }
  return urlOf({ login, password: password.trim() }, server, 'treeos')
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

/**
 * Whether there is a Temporal to look at: one that the settings name, or one that was started for the
 * instance.
 */
export const hasTemporal = (dataDir: string, env: NodeJS.ProcessEnv): boolean =>
  namesTemporal(env) || serviceOf(readInstance(dataDir), 'temporal') !== null

/** Where people look at workflows; no UI is known of a Temporal that is not ours. */
export function temporalUiOf(dataDir: string): { readonly ui: string | null; readonly namespace: string } {
  const { ui = null, namespace } = serviceOf(readInstance(dataDir), 'temporal')?.detail ?? {}
  return { ui, namespace: namespace ?? 'default' }
}

/** @throws {LocalError} saying how to start */
export function locateTemporal(dataDir: string, env: NodeJS.ProcessEnv = process.env): TemporalPlace {
  const all = withConverter(dataDir, env)
  if (namesTemporal(env)) return { kind: 'environment', env: all }
  const { address, detail } = requireService(dataDir, 'temporal', 'Temporal')
  const namespace = detail?.namespace ?? 'default'
  return { kind: 'instance', env: temporalEnvironment(dataDir, all), address, namespace }
}

/** Commands convert payloads as the workers of the instance do, unless the environment says how. */
function withConverter(dataDir: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOfConverter = (name: string) => /^(TREEOS_DATA_CONVERTER$|TEMPORAL_CODEC_)/.test(name)
  if (Object.keys(env).some((name) => isOfConverter(name) && env[name])) return env
  const kept = Object.entries(withSettings(dataDir, {})).filter(([name]) => isOfConverter(name))
  return { ...env, ...Object.fromEntries(kept) }
}

function requireService(dataDir: string, name: string, title: string): Service {
  const service = serviceOf(readInstance(dataDir), name)
  if (service === null)
    throw new LocalError(
      `no instance of TreeOS runs in ${dataDir}: start it with \`treeos up --data ${shellWord(dataDir)}\`, or name another with --data`,
    )
  if (isAlive(service)) return service
  throw new LocalError(`${title} at ${service.address} has ended: ${HINT}`)
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
export const serviceDown = (title: string, address: string, reason: string): LocalError =>
  new LocalError(`${title} at ${address} does not answer (${reason}): ${HINT}`)

/**
 * The error of a service that gave no answer within the time that we gave it. Nothing says that it does not
 * run.
 * @param seconds how long it was tried; null where one call had its own time
 */
export const serviceLate = (title: string, address: string, seconds: number | null): LocalError =>
  new LocalError(
    `${title} at ${address} did not answer ${seconds === null ? 'in time' : `within ${seconds} s`}: it, or this machine, may be busy; ` +
      'try again, and see what runs with `treeos status`',
  )
