/**
 * What goes out over HTTP, behind a forward proxy that others wrote: it alone knows the names of the other
 * machines.
 */
import dns from 'node:dns'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { egressFetch, outsideFetch } from '@treeos/egress'
import { newSignerKey, readSigner, verifierKeyOf, WitnessClient } from '@treeos/proofs'
import { collector } from '@treeos/telemetry'
import { listTools } from '@treeos/tools/servers'
import { createProxy } from 'proxy'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { newCosigner, vkeyOf } from '../support/witness-server.ts'

let outside: Server
let proxy: Server
/** hosts of requests that reached the server outside, and what the proxy was asked for */
let [reached, seen]: [string[], string[]] = [[], []]
const home = mkdtempSync(join(tmpdir(), 'treeos-proxy-'))
const never = new AbortController().signal
const portOf = (server: Server) => (server.address() as AddressInfo).port
const listen = (server: Server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))

beforeAll(async () => {
  outside = createServer(({ headers }, response) => {
    reached.push(`${headers.host}`.split(':')[0] ?? '')
    response.writeHead(404).end()
  })
  proxy = createProxy(createServer())
  const ask = (kind: string) => (request: { url?: string }) => void seen.push(`${kind} ${request.url}`)
  proxy.prependListener('request', ask('request')).prependListener('connect', ask('tunnel'))
  await Promise.all([listen(outside), listen(proxy)])
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) vi.stubEnv(name, `http://127.0.0.1:${portOf(proxy)}`)
  vi.stubEnv('TREEOS_PROXY_RESOLVES', '1')
  const real = dns.lookup
  vi.spyOn(dns, 'lookup').mockImplementation(((host: string, ...rest: [never, never]) =>
    real(host.endsWith('.test') ? '127.0.0.1' : host, ...rest)) as never)
})
beforeEach(() => {
  ;[reached, seen] = [[], []]
})
afterAll(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
  for (const server of [outside, proxy]) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

/** The host of a way out: its last word. */
const hostOf = (way: string) => `${way.split(' ').at(-1)}.test`
const at = (name: string) => `http://${name}.test:${portOf(outside)}`

/** Every way out. Each asks its own host, and does not mind the answer. */
const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
  'a model': () => egressFetch(`${at('model')}/v1/models`),
  'an effect': () => outsideFetch(['effect.test'], never)(at('effect')),
  async 'a witness'() {
    const cosigner = newCosigner('w.test')
    const policy = `log ${verifierKeyOf(readSigner(newSignerKey('l.test')))}\nwitness w ${vkeyOf(cosigner)} ${at('witness')}/\nquorum w\n`
    const cosigning = new WitnessClient(policy, { file: join(home, 'state.json'), folder: home })
    await cosigning.ask({ size: 1, note: 'a\n1\nAA==\n\n— a AA==\n' }, async () => [], never)
    expect(cosigning.state.witnesses[0]?.fault?.what).toContain('404')
  },
  'a server of tools': () =>
    listTools('far', { url: `${at('tools')}/mcp`, secrets: {} } as never, {}).catch(() => undefined),
  async 'the collector of traces'() {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', at('traces'))
    const exporter = collector()
    await new Promise((done) => exporter.export([], done))
    await exporter.shutdown()
  },
}

it.each(Object.keys(WAYS))('%s goes by the proxy, which knows the name', async (name) => {
  await WAYS[name]?.()
  expect(reached).toContain(hostOf(name))
  expect(seen[0]).toMatch(new RegExp(`^(request|tunnel) .*${hostOf(name)}`))
})

it.each(Object.keys(WAYS))('control: %s goes straight to a host of NO_PROXY', async (name) => {
  vi.stubEnv('NO_PROXY', '.test')
  try {
    await WAYS[name]?.()
  } finally {
    vi.stubEnv('NO_PROXY', '')
  }
  expect(reached).toContain(hostOf(name))
  expect(seen).toEqual([])
})
