#!/usr/bin/env node
import { TreeosError } from '@treeos/core'
import { ServiceAwayError, skipWorkflowStackTraces } from '@treeos/host'
import { pino } from 'pino'
import { takeEnvironment } from './environment.ts'
import { framesOf, nameAndCode } from './safe-error-text.ts'
import { isLogLevel } from './settings.ts'
import { StartError } from './start-error.ts'
import { type RunningWorker, startWorker } from './worker.ts'

const LOG_WAITING_CHARS_MAX = 1_000_000

// Without this the sandbox would read the host's time zone, and the hour of a moment is recorded.
process.env.TZ = 'UTC'
const { TREEOS_LOG = '' } = process.env
if (TREEOS_LOG !== 'debug') skipWorkflowStackTraces()
const log = pino(
  { name: 'treeos-worker', level: isLogLevel(TREEOS_LOG) ? TREEOS_LOG : 'info' },
  standardError(),
)

let worker: RunningWorker | null = null
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    if (worker === null) process.exit(0) // it has taken no work yet
    worker.stop()
  })
}
try {
  worker = await startWorker(takeEnvironment(process.env), log)
  const { taskQueue, mind, connections, metrics, temporalOpen, actSignal } = worker
  const temporal = { temporalOpen, actSignal }
  console.log(
    JSON.stringify({ ready: true, pid: process.pid, taskQueue, mind, connections, metrics, ...temporal }),
  )
  await worker.done
  log.info('stopped')
} catch (error) {
  tell(error)
  process.exit(1)
}

/**
 * Where it logs to. When the disk of the log is full, lines wait in memory up to a bound, further ones are
 * dropped, and the worker goes on: an `error` without a listener would end it. What flushes is left out,
 * since it would wait for space without end: also when the process exits, unless each write is synchronous.
 */
function standardError(): { write(line: string): void } {
  const out = pino.destination({ dest: 2, sync: true, maxLength: LOG_WAITING_CHARS_MAX })
  out.on('error', () => undefined)
  return { write: (line) => void out.write(line) }
}

/** Logs the message of our own errors only. Other messages may quote a prompt or a row. */
function tell(error: unknown): void {
  if (error instanceof StartError || error instanceof ServiceAwayError || error instanceof TreeosError)
    log.fatal({ error: error.name }, error.message)
  else log.fatal({ ...nameAndCode(error), at: framesOf(error) }, 'the worker stops: an unexpected error')
}
