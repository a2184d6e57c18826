import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectionOptions } from '@temporalio/client'
import { LocalError, messageOf } from '../machine/error.ts'
import { writeWhole } from '../machine/files.ts'

/** How programs reach a Temporal server. */
export interface TemporalAccess {
  readonly namespace: string
  /** With the credential, so never log it. Takes `Connection.connect` and `NativeConnection.connect`. */
  readonly options: Pick<ConnectionOptions, 'address' | 'metadata'> & {
    readonly apiKey?: string
    readonly tls?: Exclude<ConnectionOptions['tls'], null>
  }
}

/**
 * The folder of an instance that holds its Temporal's credential and histories. Only its owner can read it.
 */
export function makePrivateFolder(dataDir: string): void {
  const folder = join(dataDir, 'temporal')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
}

/**
 * The file with the key by which people log in to the UI of our own server. Who can read it can act as anyone
 * in the instance.
 */
export const keyFileOf = (dataDir: string): string => join(dataDir, 'temporal', 'key')

/**
 * A new key for the UI, in a file that only its owner can read. Each start of a server makes one: a browser
 * shows the key to whatever listens at the address of the UI, and while the server is down that may be
 * another program.
 */
export const makeKey = (dataDir: string): void =>
  writeWhole(keyFileOf(dataDir), `${randomBytes(32).toString('base64url')}\n`)

/**
 * The folder of the authority that our own server makes at its first start, with the certificate of callers.
 * A worker on another machine needs `ca.pem`, `client.pem` and `client-key.pem` of it. `ca-key.pem` stays
 * where it is.
 */
export const tlsFolderOf = (dataDir: string): string => join(dataDir, 'temporal', 'tls')

/** In the certificate of our own server, so that callers may reach it at any address. */
const SERVER_NAME = 'treeos-temporal'

/** What a server asks its callers for. Before that it shows a certificate of the same authority. */
export type TemporalGuard = 'certificate' | null

/**
 * The `temporal.toml` by which programs reach the server of an instance, as `TEMPORAL_CONFIG_FILE` names it.
 */
export const configFileOf = (dataDir: string): string => join(dataDir, 'temporal', 'temporal.toml')

/**
 * Writes where the server of an instance is, and its credential, in the format that every Temporal SDK and
 * the Temporal CLI read.
 */
export function writeConfig(
  dataDir: string,
  { address, namespace, guard }: { address: string; namespace: string; guard: TemporalGuard },
): void {
  const lines = [
    '# Written at each start. The Temporal of this instance: TEMPORAL_CONFIG_FILE=<this file>',
    '[profile.default]',
    `address = ${JSON.stringify(address)}`,
    `namespace = ${JSON.stringify(namespace)}`,
    '[profile.default.tls]',
    ...(guard === 'certificate' ? certificateLines(tlsFolderOf(dataDir)) : ['disabled = true']),
  ]
  writeWhole(configFileOf(dataDir), `${lines.join('\n')}\n`)
}

const certificateLines = (folder: string): string[] =>
  Object.entries({
    server_name: SERVER_NAME,
    server_ca_cert_path: join(folder, 'ca.pem'),
    client_cert_path: join(folder, 'client.pem'),
    client_key_path: join(folder, 'client-key.pem'),
  }).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)

/**
 * An environment in which programs reach the server of an instance, whatever Temporal the given one names. The
 * codec of its payloads stays.
 */
export function temporalEnvironment<Env extends NodeJS.ProcessEnv>(
  dataDir: string,
  env: Env,
): Env & { TEMPORAL_CONFIG_FILE: string } {
  const others = Object.entries(env).filter(([name]) => !/^TEMPORAL_(?!CODEC_)/.test(name))
  return { ...(Object.fromEntries(others) as Env), TEMPORAL_CONFIG_FILE: configFileOf(dataDir) }
}

/**
 * Reads how to reach Temporal from `TEMPORAL_*` and the `temporal.toml` that they name.
 * @throws LocalError when they cannot be read
 */
export async function readAccess(env: NodeJS.ProcessEnv): Promise<TemporalAccess> {
  const { loadClientConnectConfig } = await import('@temporalio/envconfig')
  const given = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined)
  try {
    const { connectionOptions, namespace = 'default' } = loadClientConnectConfig({
      overrideEnvVars: Object.fromEntries(given),
    })
    return { namespace, options: connectionOptions as TemporalAccess['options'] }
  } catch (error) {
    throw new LocalError(`the Temporal configuration cannot be read: ${messageOf(error)}`, { cause: error })
  }
}
