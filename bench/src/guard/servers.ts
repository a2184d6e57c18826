import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Services } from '../services.ts'

export const GUARDS = ['open', 'key', 'certificate'] as const
export type Guard = (typeof GUARDS)[number]

/** Flags of the product's server that name its guard, its data or its ports. */
const OWN_FLAGS = ['--key-file', '--db', '--port', '--ui-port']

/**
 * Starts a server that differs from the product's in its guard only, and has no UI: `open` asks for nothing, `key` for the
 * product's key, `certificate` for a client certificate over TLS.
 */
export async function startServer(
  guard: Guard,
  services: Services,
  folder: string,
): Promise<{ pid: number; env: Record<string, string> }> {
  const { pid, env } = services.temporal
  if (pid === null) throw new Error('unset TEMPORAL_*: this benchmark starts servers of its own')
  const [command = '', ...flags] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  const kept = flags.filter((flag, i) => !OWN_FLAGS.includes(flag) && !OWN_FLAGS.includes(flags[i - 1] ?? ''))
  const keyFile = flags[flags.indexOf('--key-file') + 1] ?? ''
  const asked = {
    open: () => ({ flags: ['--open'], env: {} }),
    key: () => ({ flags: ['--key-file', keyFile], env }),
    certificate: () => makeCertificates(join(folder, 'tls')),
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

/** One certificate for the server and one for callers, of an authority that is made with them. */
function makeCertificates(folder: string): { flags: string[]; env: Record<string, string> } {
  mkdirSync(folder, { mode: 0o700 })
  const file = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const key = (name: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    file(`${name}.key`),
  ]
  openssl('req', '-x509', ...key('ca'), '-subj', '/CN=bench', '-days', '2', '-out', file('ca.pem'))
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost')
  for (const name of ['server', 'client']) {
    openssl('req', ...key(name), '-subj', `/CN=${name}`, '-out', file(`${name}.csr`))
    openssl(
      ...['x509', '-req', '-in', file(`${name}.csr`), '-CA', file('ca.pem'), '-CAkey', file('ca.key')],
      ...['-CAcreateserial', '-days', '2', '-extfile', file('names'), '-out', file(`${name}.pem`)],
    )
  }
  return {
    flags: ['--tls-cert', file('server.pem'), '--tls-key', file('server.key'), '--tls-ca', file('ca.pem')],
    env: {
      TEMPORAL_TLS_SERVER_NAME: 'localhost',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('ca.pem'),
      TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: file('client.key'),
    },
  }
}
