import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChainDb, countParked, measureInboxes } from '@treeos/chain'
import type { Observer } from '@treeos/host'
import type { Kysely } from 'kysely'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { StartError } from './start-error.ts'

/** Beats take milliseconds, models seconds to minutes. */
const SECONDS_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

/** How long a scrape waits for Postgres. */
const INBOX_MS_MAX = 2000

/** The metrics of a worker, served for Prometheus. Labels hold names and numbers, never beings or contents. */
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

  /** @param db asked at every scrape for the inboxes of the whole reality */
  constructor(db: Kysely<ChainDb>) {
    collectDefaultMetrics({ register: this.registry })
    const measure = measuring(db)
    const inbox = (name: string, help: string, read: (line: Line) => number) =>
      new Gauge({
        name,
        help,
        registers: [this.registry],
        async collect() {
          this.set(read(await measure()))
        },
      })
    inbox('treeos_inbox_waiting', 'Wakes that no moment has taken yet.', (line) => line.waiting)
    inbox('treeos_inbox_oldest_seconds', 'Age of the oldest of them.', (line) => line.oldestSeconds)
    inbox(
      'treeos_beings_parked',
      'Beings that a budget has parked, until somebody approves.',
      (line) => line.parked,
    )
  }

  get observer(): Omit<Observer, 'error' | 'leftOut' | 'fault'> & { error(where: string): void } {
    return {
      beat: (beat, seconds) => this.#beats.observe({ beat }, seconds),
      outcome: (outcome, reason) => this.#moments.inc({ outcome, reason: reason ?? '' }),
      model: (answer, tokens) => {
        this.#models.inc({ answer })
        if (tokens === null) return
        this.#tokens.inc({ kind: 'prompt' }, tokens.prompt)
        this.#tokens.inc({ kind: 'completion' }, tokens.completion)
      },
      error: (where) => this.#errors.inc({ where }),
    }
  }

  /**
   * Serves `/metrics` on loopback, and `/mind`: which models this worker has and whether they answer. It answers to names of
   * loopback only: a page of another site could otherwise read them, once its own name leads here (DNS rebinding).
   * @param port 0 picks a free one
   * @throws {StartError} when it cannot be had
   */
  async serve(port: number, minds: () => Promise<unknown>): Promise<{ url: string; close(): Promise<void> }> {
    const server = createServer((request, response) => {
      if (!OWN_NAMES.includes(nameIn(request.headers.host))) return void response.writeHead(403).end()
      if (request.url === '/mind') {
        const sendMinds = (told: unknown) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told))
        return void minds().then(sendMinds, () => response.writeHead(503).end())
      }
      if (request.url !== '/metrics') return void response.writeHead(404).end()
      this.registry.metrics().then(
        (text) => response.writeHead(200, { 'content-type': this.registry.contentType }).end(text),
        () => response.writeHead(503).end(),
      )
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(portError(port, error)))
      server.listen(port, '127.0.0.1', resolve)
    })
    const { port: taken } = server.address() as AddressInfo
    return { url: `http://127.0.0.1:${taken}/metrics`, close: () => closeServer(server) }
  }
}

const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]']
/** The host of a request without its port: behind a forwarded port the number differs. */
const nameIn = (host = ''): string => host.replace(/:\d+$/, '').toLowerCase()

type Line = Awaited<ReturnType<typeof measureInboxes>> & { readonly parked: number }
const UNKNOWN: Line = { waiting: Number.NaN, oldestSeconds: Number.NaN, parked: Number.NaN }

async function measure(db: Kysely<ChainDb>): Promise<Line> {
  return { ...(await measureInboxes(db)), parked: await countParked(db) }
}

/** Shares one query among concurrent scrapes. Gives NaN while Postgres does not answer, so that the other metrics are served. */
function measuring(db: Kysely<ChainDb>): () => Promise<Line> {
  let asked: Promise<Line> | null = null
  return () => {
    asked ??= measure(db).finally(() => {
      asked = null
    })
    const late = sleep(INBOX_MS_MAX, UNKNOWN, { ref: false })
    return Promise.race([asked, late]).catch(() => UNKNOWN)
  }
}

/** Two workers on one machine cannot share a port. */
function portError(port: number, { code, message }: NodeJS.ErrnoException): StartError {
  return new StartError(
    `TREEOS_METRICS_PORT ${port} cannot be bound (${code ?? message}): leave it unset for a free port, or give each worker its own`,
  )
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
