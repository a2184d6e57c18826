#!/usr/bin/env node
import { TreeosError } from '@treeos/core'
import { ServiceAwayError, skipWorkflowStackTraces } from '@treeos/host'
import { pino } from 'pino'
import { isLogLevel } from './settings.ts'
import { StartError } from './start-error.ts'
import { nameAndCode, type RunningWorker, startWorker } from './worker.ts'

// Without this the sandbox would read the host's time zone, and the hour of a moment is recorded.
process.env.TZ = 'UTC'
const { TREEOS_LOG = '' } = process.env
if (TREEOS_LOG !== 'debug') skipWorkflowStackTraces()
const log = pino(
  { name: 'treeos-worker', level: isLogLevel(TREEOS_LOG) ? TREEOS_LOG : 'info' },
  pino.destination(2),
)

let worker: RunningWorker | null = null
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    if (worker === null) process.exit(0) // it has taken no work yet
    worker.stop()
  })
}
try {
  worker = await startWorker(process.env, log)
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

/** Logs the message of our own errors only. Other messages may quote a prompt or a row. */
function tell(error: unknown): void {
  if (error instanceof StartError || error instanceof ServiceAwayError || error instanceof TreeosError)
    log.fatal({ error: error.name }, error.message)
  else log.fatal({ ...nameAndCode(error), at: framesOf(error) }, 'the worker stops: an unexpected error')
}

function framesOf(error: unknown): string[] {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : []
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim())
}
