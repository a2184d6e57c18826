import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Services } from '../services.ts'

export const GUARDS = ['open', 'certificate'] as const
export type Guard = (typeof GUARDS)[number]

/** Flags of the product's server that name its guard, its data or its ports. */
const OWN_FLAGS = ['--key-file', '--tls-dir', '--db', '--port', '--ui-port']

/**
 * Starts a server that differs from the product's in its guard only, and has no UI: `open` asks for nothing,
 * `certificate` for a client certificate over TLS, as the product's does.
 */
export async function startServer(
  guard: Guard,
  services: Services,
  folder: string,
): Promise<{ pid: number; env: Record<string, string> }> {
  const { pid } = services.temporal
  if (pid === null) throw new Error('unset TEMPORAL_*: this benchmark starts servers of its own')
  const [command = '', ...flags] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  const kept = flags.filter((flag, i) => !OWN_FLAGS.includes(flag) && !OWN_FLAGS.includes(flags[i - 1] ?? ''))
  const asked = {
    open: () => ({ flags: ['--open'], env: {} }),
    certificate: () => certificates(join(folder, 'tls')),
  }[guard]()
  const ours = ['--db', join(folder, `${guard}.db`), '--port', '0', '--headless', ...asked.flags]
  const child = spawn(command, [...kept, ...ours], { stdio: ['ignore', 'pipe', 'inherit'] })
  services.atEnd(async () => {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { address } = JSON.parse(line) as { address: string }
  return { pid: child.pid as number, env: { ...asked.env, TEMPORAL_ADDRESS: address } }
}

/** The folder of an authority, which the server makes when it is not there, and what callers need of it. */
function certificates(folder: string): { flags: string[]; env: Record<string, string> } {
  return {
    flags: ['--tls-dir', folder],
    env: {
      TEMPORAL_TLS_SERVER_NAME: 'treeos-temporal',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(folder, 'ca.pem'),
      TEMPORAL_TLS_CLIENT_CERT_PATH: join(folder, 'client.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: join(folder, 'client-key.pem'),
    },
  }
}
