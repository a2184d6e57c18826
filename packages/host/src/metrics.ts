import { createServer, type Server } from 'node:http'
import { type AddressInfo, BlockList, isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Observer, WorkerLoad } from '@treeos/activities'
import { OUTCOMES } from '@treeos/core'
import { countParked, measureInboxes, type StoreDb, type WaitingWakes } from '@treeos/store'
import { sharing } from '@treeos/telemetry/shared-answer'
import type { Kysely } from 'kysely'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Beats take milliseconds, models seconds to minutes. */
const SECONDS_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

/**
 * Scrapes within this time get the same answer: to write it takes CPU time of the worker, and anybody on the
 * machine may ask.
 */
const SHARED_MS = 100
/** Others are closed at once, so that nobody takes the worker's file descriptors. */
const CONNECTIONS_MAX = 64

/** How long a scrape waits for Postgres. */
const INBOX_MS_MAX = 2000
/** For so long a scrape watches how busy the event loop is. */
const WATCH_MS = 200

type Answer = Parameters<Observer['model']>[0]
const ANSWERS = { call: 1, see: 1, outputs: 1, failure: 1, lost: 1 } satisfies Record<Answer, 1>
/** What labels can say, except `reason`, `where` and `beat`, which name parts of our code. */
export const LABEL_VALUES: Readonly<Record<string, readonly string[]>> = {
  outcome: OUTCOMES,
  answer: Object.keys(ANSWERS),
  kind: ['prompt', 'completion'],
}

/**
 * The metrics of a worker, served for Prometheus. Labels hold names and numbers, never beings or contents.
 */
export class Metrics {
  readonly registry = new Registry()
  readonly #moments = new Counter({
    name: 'treeos_moments_total',
    help: 'Finished moments by outcome, with the code of a failure or the reason of a skip.',
    labelNames: ['outcome', 'reason'],
    registers: [this.registry],
  })
  readonly #beats = new Histogram({
    name: 'treeos_beat_seconds',
    help: 'How long a beat of a moment took.',
    labelNames: ['beat'],
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  })
  readonly #models = new Counter({
    name: 'treeos_model_calls_total',
    help: 'Calls of a model by what came of them; lost: no usable connection, to be tried again.',
    labelNames: ['answer'],
    registers: [this.registry],
  })
  readonly #tokens = new Counter({
    name: 'treeos_model_tokens_total',
    help: 'Model tokens that providers reported.',
    labelNames: ['kind'],
    registers: [this.registry],
  })
  readonly #errors = new Counter({
    name: 'treeos_errors_total',
    help: 'Errors that were retried, by where they happened.',
    labelNames: ['where'],
    registers: [this.registry],
  })

  /** null before the worker begins */
  #load: (() => WorkerLoad) | null = null

  /** @param db asked at every scrape for the inboxes of the whole reality */
  constructor(db: Kysely<StoreDb>) {
    collectDefaultMetrics({ register: this.registry })
    const measure = measuring(db)
    const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
      new Gauge({
        name,
        help,
        registers: [this.registry],
        async collect() {
          this.set(await read())
        },
      })
    const inbox = (name: string, help: string, read: (measure: InboxMeasure) => number) =>
      gauge(name, help, async () => read(await measure()))
    const load = (name: string, help: string, read: (load: WorkerLoad) => number | Promise<number>) =>
      gauge(name, help, () => (this.#load === null ? Number.NaN : read(this.#load())))
    load('treeos_worker_busy_ratio', 'Share of its time in which the event loop works, 0 to 1.', watchLoop)
    load(
      'treeos_worker_steps_waiting',
      'Steps of moments that wait for their turn.',
      (load) => load.stepsWaiting,
    )
    load('treeos_worker_minds_asked', 'Minds that are asked now.', (load) => load.mindsAsked)
    inbox('treeos_inbox_waiting', 'Wakes that no moment has taken yet.', (measure) => measure.waiting)
    inbox('treeos_inbox_oldest_seconds', 'Age of the oldest of them.', (measure) => measure.oldestSeconds)
    inbox(
      'treeos_beings_parked',
      'Beings that a budget has parked, until somebody approves.',
      (measure) => measure.parked,
    )
  }

  /** Counts what a worker does. */
  get observer(): Observer {
    const error = (where: string) => this.#errors.inc({ where })
    return {
      beat: (beat, seconds) => this.#beats.observe({ beat }, seconds),
      outcome: (outcome, reason) => this.#moments.inc({ outcome, reason: reason ?? '' }),
      model: (answer, tokens) => {
        this.#models.inc({ answer })
        if (tokens === null) return
        this.#tokens.inc({ kind: 'prompt' }, tokens.prompt)
        this.#tokens.inc({ kind: 'completion' }, tokens.completion)
      },
      error,
      leftOut: () => error('resolver'),
      fault: (_moment, { part }) => error(part),
      load: (read) => {
        this.#load = read
      },
    }
  }

  /**
   * Serves `/metrics`, `/ready` (200 while the worker takes work), and where they are given `/mind`: which
   * models this worker has and whether they answer, and `/tools`: what its tool servers do. It answers to names of loopback only: a page
   * of another site could otherwise read them, once its own name leads here (DNS rebinding). Where it listens
   * beyond loopback it also answers to addresses, which no name can imitate, and `/mind` and `/tools` to
   * loopback alone.
   * @throws {NodeJS.ErrnoException} when the port cannot be had
   */
  async serve({ port, bind = LOOPBACK, isReady, minds, tools }: MetricsOptions): Promise<ServedMetrics> {
    const text = sharing(SHARED_MS, () => this.registry.metrics())
    const told = minds && sharing(SHARED_MS, minds)
    const server = createServer((request, response) => {
      const isNear = OWN.check(
        plainAddress(request.socket.remoteAddress),
        familyOf(request.socket.remoteAddress),
      )
      const name = nameIn(request.headers.host)
      const isKnown =
        OWN_NAMES.includes(name) || (bind !== LOOPBACK && isIP(name.replace(/^\[|\]$/g, '')) !== 0)
      const isForOwner = request.url === '/mind' || request.url === '/tools'
      if (!isKnown || (isForOwner && !isNear)) return void response.writeHead(403).end()
      const sendJson = (value: unknown) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      if (tools && request.url === '/tools') return void sendJson(tools())
      if (told && request.url === '/mind')
        return void told().then(sendJson, () => response.writeHead(503).end())
      if (request.url === '/ready') return void response.writeHead(isReady() ? 200 : 503).end()
      if (request.url !== '/metrics') return void response.writeHead(404).end()
      text().then(
        (value) => response.writeHead(200, { 'content-type': this.registry.contentType }).end(value),
        () => response.writeHead(503).end(),
      )
    })
    server.maxConnections = CONNECTIONS_MAX
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, bind, resolve)
    })
    const { port: taken } = server.address() as AddressInfo
    const near = bind === '0.0.0.0' ? LOOPBACK : isIP(bind) === 6 ? `[${bind === '::' ? '::1' : bind}]` : bind
    return { url: `http://${near}:${taken}/metrics`, close: () => closeServer(server) }
  }
}

async function watchLoop(): Promise<number> {
  const from = performance.eventLoopUtilization()
  await sleep(WATCH_MS)
  return performance.eventLoopUtilization(from).utilization
}

/** Where the metrics of a worker are served. */
export interface MetricsPlace {
  /** 0 picks a free one */
  readonly port: number
  /** IP address to listen on; default loopback */
  readonly bind?: string | undefined
}

export interface MetricsOptions extends MetricsPlace {
  readonly isReady: () => boolean
  readonly minds?: () => Promise<unknown>
  readonly tools?: () => unknown
}

export interface ServedMetrics {
  readonly url: string
  close(): Promise<void>
}

export const LOOPBACK = '127.0.0.1'
const OWN = new BlockList()
OWN.addSubnet('127.0.0.0', 8, 'ipv4')
OWN.addAddress('::1', 'ipv6')
/** An address of IPv4 as a socket of IPv6 shows it. */
const plainAddress = (address = ''): string => address.replace(/^::ffff:/, '')
const familyOf = (address: string | undefined) => (isIP(plainAddress(address)) === 6 ? 'ipv6' : 'ipv4')

const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]']
/** The host of a request without its port: behind a forwarded port the number differs. */
const nameIn = (host = ''): string => host.replace(/:\d+$/, '').toLowerCase()

type InboxMeasure = Pick<WaitingWakes, 'waiting' | 'oldestSeconds'> & { readonly parked: number }
const UNKNOWN: InboxMeasure = { waiting: Number.NaN, oldestSeconds: Number.NaN, parked: Number.NaN }

async function measure(db: Kysely<StoreDb>): Promise<InboxMeasure> {
  return { ...(await measureInboxes(db)), parked: await countParked(db) }
}

/**
 * Shares one query among concurrent scrapes. Gives NaN while Postgres does not answer, so that the other
 * metrics are served.
 */
function measuring(db: Kysely<StoreDb>): () => Promise<InboxMeasure> {
  let asked: Promise<InboxMeasure> | null = null
  return () => {
    asked ??= measure(db).finally(() => {
      asked = null
    })
    const late = sleep(INBOX_MS_MAX, UNKNOWN, { ref: false })
    return Promise.race([asked, late]).catch(() => UNKNOWN)
  }
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
