/**
 * What watches workers from outside: one that scrapes their metrics, and one that takes what they may export
 * by OTLP.
 */
import { appendFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const SCRAPE_EVERY_MS = 1000
const BODY_BYTES_MAX = 16 * 1024 * 1024

export interface Monitoring {
  /** sends exporters of spans, metrics and logs to the collector */
  readonly env: NodeJS.ProcessEnv
  /** the collector: it keeps whatever it is sent, with its path and headers, in the file `otlp` */
  readonly otlpUrl: string
  /** scrapes the metrics of a worker from now on into the file `metrics`, until it is closed */
  watch(metricsPort: number): void
  /** successful scrapes */
  readonly scrapes: number
  close(): Promise<void>
}

/** @param folder of the files that it writes */
export async function startMonitoring(folder: string): Promise<Monitoring> {
  const closing = new AbortController()
  const loops: Promise<void>[] = []
  let scrapes = 0
  const collector = createServer((request, response) => {
    const parts: Buffer[] = []
    let bytes = 0
    request.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes <= BODY_BYTES_MAX) parts.push(part)
    })
    request.on('end', () => {
      const head = Buffer.from(`${request.method} ${request.url} ${JSON.stringify(request.headers)}\n`)
      void appendFile(join(folder, 'otlp'), Buffer.concat([head, ...parts, Buffer.from('\n')])).then(() =>
        response.writeHead(200, { 'content-type': request.headers['content-type'] ?? 'text/plain' }).end(),
      )
    })
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const otlpUrl = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`

  async function scrape(port: number): Promise<void> {
    while (!closing.signal.aborted) {
      // A worker that was killed answers no more.
      const told = await fetch(`http://127.0.0.1:${port}/metrics`).then(
        (answer) => answer.text(),
        () => null,
      )
      if (told !== null) {
        await appendFile(join(folder, 'metrics'), told)
        scrapes += 1
      }
      await sleep(SCRAPE_EVERY_MS, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_SERVICE_NAME: 'treeos-worker',
    },
    otlpUrl,
    watch: (port) => void loops.push(scrape(port)),
    get scrapes() {
      return scrapes
    },
    async close() {
      closing.abort()
      await Promise.all(loops)
      collector.closeAllConnections()
      await new Promise((resolve) => collector.close(resolve))
    },
  }
}
