import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { LABEL_VALUES, Metrics } from './metrics.ts'

type Served = Awaited<ReturnType<Metrics['serve']>>
let served: Served
let wide: Served
let isReady = false
const serve = (bind: string) =>
  // no database: its numbers are NaN
  new Metrics(null as never).serve({
    port: 0,
    bind,
    isReady: () => isReady,
    minds: async () => ({ mind: null }),
    tools: () => ({ letters: { state: 'idle' } }),
  })
beforeAll(async () => {
  served = await serve('127.0.0.1')
  wide = await serve('0.0.0.0')
})
afterAll(() => Promise.all([served.close(), wide.close()]))

/** The address of this machine that others see, if it has one. */
const outward = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address

/** @returns the status */
async function ask(path: string, host: string, of: Served = served, to = '127.0.0.1'): Promise<number> {
  const { port } = new URL(of.url)
  const sent = request({ host: to, port, path, headers: { host } })
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode ?? 0
}

it.each(['127.0.0.1', '127.0.0.1:4000', 'localhost:1', '[::1]:9', 'LOCALHOST'])(
  'is read as %s',
  async (host) => {
    expect([await ask('/metrics', host), await ask('/mind', host)]).toEqual([200, 200])
  },
)

it.each([
  'evil.example',
  'evil.example:80',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  '192.168.1.5',
])('is not read under a rebound name: %j', async (host) => {
  expect([await ask('/metrics', host), await ask('/mind', host)]).toEqual([403, 403])
})

it('scrapes without end are written once in a while, for all', async () => {
  const metrics = new Metrics(null as never)
  const written = vi.spyOn(metrics.registry, 'metrics')
  const of = await metrics.serve({
    port: 0,
    bind: '127.0.0.1',
    isReady: () => true,
    minds: async () => null,
    tools: () => ({}),
  })
  const flood = () => Promise.all(Array.from({ length: 50 }, () => ask('/metrics', 'localhost', of)))
  const startedAt = performance.now()
  expect((await flood()).filter((status) => status === 200).length).toBeGreaterThan(0)
  expect(written.mock.calls.length).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 100)
  // Control: by itself each scrape is written.
  const before = written.mock.calls.length
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 120))
    await ask('/metrics', 'localhost', of)
  }
  expect(written.mock.calls.length).toBe(before + 3)
  await of.close()
})

it('beyond loopback it is read under addresses, and under no foreign name', async () => {
  for (const host of ['10.1.2.3:9464', '127.0.0.1', '[fd00::7]:9464'])
    expect([host, await ask('/metrics', host, wide)]).toEqual([host, 200])
  for (const host of ['evil.example', '10.1.2.3.evil.example'])
    expect([host, await ask('/metrics', host, wide)]).toEqual([host, 403])
})

it.skipIf(outward === undefined)('models are shown to this machine only', async () => {
  const to = outward as string
  expect([await ask('/metrics', to, wide, to), await ask('/mind', to, wide, to)]).toEqual([200, 403])
  expect(await ask('/mind', to, wide)).toBe(200)
})

it('is ready while the worker takes work', async () => {
  expect(await ask('/ready', 'localhost')).toBe(503)
  isReady = true
  expect(await ask('/ready', 'localhost')).toBe(200)
})

const DOCS = resolve(import.meta.dirname, '../../../docs')

/** Metrics of ours in a text: those of an alert in braces, and what a table names in a column of its own. */
function faultsIn(text: string): string[] {
  const metrics = new Map(
    new Metrics(null as never).registry.getMetricsAsArray().map((one) => [one.name, one]),
  )
  const named = [...text.matchAll(/`(treeos_\w+(?:_total|_seconds|_parked|_waiting))(?:\{([^}]*)\})?`/g)]
  return named.flatMap(([all, name = '', selectors = '']) => {
    const labels: readonly string[] | undefined = (metrics.get(name) as { labelNames?: string[] } | undefined)
      ?.labelNames
    if (labels === undefined) return [`${all}: no such metric`]
    return [...selectors.matchAll(/(\w+)(?:=|!=|=~|!~)"([^"]*)"/g)].flatMap(([, label = '', values = '']) => {
      if (!labels.includes(label)) return [`${all}: no label ${label}`]
      const known = LABEL_VALUES[label]
      return values
        .split('|')
        .filter((value) => known !== undefined && !known.includes(value))
        .map((value) => `${all}: ${label} is never ${value}`)
    })
  })
}

it('the docs name metrics, labels and values that exist', () => {
  const pages = readdirSync(DOCS).filter((name) => name.endsWith('.md'))
  const text = pages.map((name) => readFileSync(join(DOCS, name), 'utf8')).join('\n')
  expect(text).toContain('`treeos_beat_seconds`')
  expect(faultsIn(text)).toEqual([])
})

it('control: a metric, a label or a value that does not exist is found', () => {
  const faults = faultsIn(
    '`treeos_model_calls_total{answer!="ok"}` `treeos_moments_total{kind="act"}` `treeos_wakes_total` `treeos_beat_seconds`',
  )
  expect(faults.map((fault) => fault.split(': ')[1])).toEqual([
    'answer is never ok',
    'no label kind',
    'no such metric',
  ])
})
