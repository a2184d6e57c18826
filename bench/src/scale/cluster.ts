import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Connection } from '@temporalio/client'
import { freePort, writePrivate } from '@treeos/local'
import { SEARCH_ATTRIBUTES } from '@treeos/protocol'
import type { Services } from '../services.ts'

/** The services of each process of the cluster. The workers of Temporal itself call the internal frontend. */
const PROCESSES = {
  matching: ['matching'],
  history: ['history'],
  frontend: ['frontend', 'internal-frontend'],
  system: ['worker'],
} as const
export type ServerName = keyof typeof PROCESSES
export const SERVERS = Object.keys(PROCESSES) as ServerName[]

/** Flags of the product's server that the cluster sets otherwise. Each takes a value. */
const OTHERWISE = ['--key-file', '--tls-dir', '--db', '--port', '--ui-port', '--ip']
const READY_MS = 60_000

export interface Cluster {
  readonly address: string
  /** environment variables by which workers and clients reach it, with its key */
  readonly env: Record<string, string>
  readonly connection: Parameters<typeof Connection.connect>[0]
  readonly pids: Readonly<Record<ServerName, number>>
  /** where Prometheus reads each process */
  readonly metrics: Readonly<Record<ServerName, string>>
  /** names of its two databases */
  readonly databases: readonly string[]
}

/**
 * Starts the product's server as a cluster: its services in four processes that know each other by
 * certificates, with the state in Postgres, and the same settings and key as the product's. The server that
 * the services brought is stopped.
 */
export async function startCluster(services: Services, shards: number): Promise<Cluster> {
  const { pid, kind } = services.temporal
  if (pid === null || kind !== 'built')
    throw new Error(
      'this benchmark starts servers of its own: unset TEMPORAL_* and set TREEOS_OWN_TEMPORAL=1',
    )
  const [command = '', ...flags] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  await services.temporal.stop()
  const kept = flags.filter((flag, i) => !OTHERWISE.includes(flag) && !OTHERWISE.includes(flags[i - 1] ?? ''))
  const folder = mkdtempSync(join(tmpdir(), 'treeos-bench-cluster-'))
  services.atEnd(async () => rmSync(folder, { recursive: true, force: true }))
  const state = await services.createDatabase('temporal')
  const visibility = await services.createDatabase('temporal_visibility')
  const key = randomBytes(32).toString('base64url')
  // The server takes an address of TCP only.
  writePrivate(join(folder, 'postgres'), Object.assign(new URL(state), { hostname: '127.0.0.1' }).href)
  writePrivate(join(folder, 'key'), key)
  const common = [
    ...kept,
    '--postgres-file',
    join(folder, 'postgres'),
    '--internode-dir',
    join(folder, 'internode'),
    '--key-file',
    join(folder, 'key'),
    '--port',
    '0',
    '--headless',
    '--shards',
    String(shards),
  ]
  const attributes = SEARCH_ATTRIBUTES.flatMap(({ name }) => ['--search-attribute', name])
  await promisify(execFile)(command, [...common, '--prepare', ...attributes])

  const taken = new Set<number>()
  const port = async () => {
    for (;;) {
      const free = await freePort('a process of the cluster', {})
      if (taken.has(free)) continue
      taken.add(free)
      return free
    }
  }
  const places = new Map<string, string>()
  for (const service of Object.values(PROCESSES).flat()) places.set(service, `127.0.0.1:${await port()}`)
  const members = [...places].flatMap(([service, at]) => ['--member', `${service}=${at}`])
  const start = async (name: ServerName) => {
    const metricsPort = await port()
    const served = PROCESSES[name].flatMap((service) => ['--serve', `${service}=${places.get(service)}`])
    const child = spawn(command, [...common, ...members, ...served, '--metrics-port', String(metricsPort)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    services.atEnd(async () => {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the process ${name} of the cluster ended with ${code}`)
    })
    ended.catch(() => undefined) // at the end it is asked to
    await Promise.race([isReady(child.stdout), ended])
    return { name, pid: child.pid as number, metrics: `http://127.0.0.1:${metricsPort}/metrics` }
  }
  // The first of them writes what a cluster is; of two that find it missing, one would end.
  const [first, ...others] = SERVERS
  const started = [await start(first as ServerName), ...(await Promise.all(others.map(start)))]
  const address = places.get('frontend') as string
  const connection = { address, apiKey: key, tls: false as const }
  await answers(connection)
  const byName = <T>(read: (one: (typeof started)[number]) => T) =>
    Object.fromEntries(started.map((one) => [one.name, read(one)])) as Record<ServerName, T>
  return {
    address,
    env: configure(folder, address, key),
    connection,
    pids: byName(({ pid }) => pid),
    metrics: byName(({ metrics }) => metrics),
    databases: [state, visibility].map((url) => new URL(url).pathname.slice(1)),
  }
}

/** The server also writes its errors to stdout. */
async function isReady(stdout: Readable): Promise<void> {
  for await (const line of createInterface(stdout)) if (line.startsWith('{"address"')) break
  stdout.resume()
}

function configure(folder: string, address: string, key: string): Record<string, string> {
  const file = join(folder, 'temporal.toml')
  const lines = [
    '[profile.default]',
    `address = ${JSON.stringify(address)}`,
    'namespace = "default"',
    `api_key = ${JSON.stringify(key)}`,
    '[profile.default.tls]',
    'disabled = true',
  ]
  writePrivate(file, `${lines.join('\n')}\n`)
  return { TEMPORAL_CONFIG_FILE: file }
}

/** Waits until the namespace is known to the frontend, and history and matching answer it. */
async function answers(options: Cluster['connection']): Promise<void> {
  for (const until = Date.now() + READY_MS; ; await sleep(200)) {
    try {
      const connection = await Connection.connect(options)
      try {
        await connection.workflowService.describeNamespace({ namespace: 'default' })
        await connection.workflowService.listWorkflowExecutions({ namespace: 'default' })
        return
      } finally {
        await connection.close()
      }
    } catch (error) {
      if (Date.now() > until) throw new Error('the cluster does not answer', { cause: error })
    }
  }
}
