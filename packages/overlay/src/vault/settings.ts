import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TreeosError } from '@treeos/core'
import { DEFAULT_MODE, MODES, type OverlayMode } from '../resolve/resolve.ts'
import { readVaultKey, vaultKeyIn } from './key.ts'
import type { ListenOptions, MutualTls } from './listener.ts'

/**
 * The file with the key of the vaults of an instance: TREEOS_VAULT_KEY, else `vault-key` in its folder.
 * @returns null without both
 */
function keyFileIn(env: NodeJS.ProcessEnv, dataDir: string | null): string | null {
  if (env.TREEOS_VAULT_KEY) return env.TREEOS_VAULT_KEY
  return dataDir === null ? null : join(dataDir, 'vault-key')
}

/**
 * How the vault of a worker listens. The key is made when there is none.
 * @returns null where no key can be kept
 */
export function vaultOfWorker(env: NodeJS.ProcessEnv, dataDir: string | null): ListenOptions | null {
  const file = keyFileIn(env, dataDir)
  if (file === null) return null
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const { TREEOS_VAULT_BIND: host, TREEOS_VAULT_ADDRESS: advertise } = env
  return {
    key: vaultKeyIn(file),
    ...(host ? { host } : {}),
    ...(advertise ? { advertise } : {}),
    ...tlsIn(env),
  }
}

/** How a client reaches the vaults of workers. @returns null when no worker has made the key yet */
export function vaultAccess(
  env: NodeJS.ProcessEnv,
  dataDir: string | null,
): { readonly key: Uint8Array; readonly tls?: MutualTls } | null {
  const file = keyFileIn(env, dataDir)
  const key = file === null ? null : readVaultKey(file)
  return key === null ? null : { key, ...tlsIn(env) }
}

/** TREEOS_VAULT_TLS: a folder with `cert.pem`, `key.pem` and `ca.pem`. */
function tlsIn({ TREEOS_VAULT_TLS: folder }: NodeJS.ProcessEnv): { tls?: MutualTls } {
  if (!folder) return {}
  const read = (name: string) => readFileSync(join(folder, `${name}.pem`), 'utf8')
  return { tls: { cert: read('cert'), key: read('key'), ca: read('ca') } }
}

/**
 * TREEOS_OVERLAYS: what becomes of several overlays of one call. Read by hand: every command loads this file,
 * and zod takes a quarter of a second to load.
 * @throws {TreeosError} INVALID_INPUT
 */
export function overlayModeIn({ TREEOS_OVERLAYS: mode }: NodeJS.ProcessEnv): OverlayMode {
  if (!mode) return DEFAULT_MODE
  const known = MODES.find((one) => one === mode)
  if (known !== undefined) return known
  throw new TreeosError(
    'INVALID_INPUT',
    `TREEOS_OVERLAYS is ${JSON.stringify(mode)}; it takes ${MODES.join(' or ')}`,
  )
}
