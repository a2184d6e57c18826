#!/usr/bin/env node
import { pino } from 'pino'
import { type RunningWorker, startWorker } from './worker.ts'

// The sandbox would else read the host's time zone; a moment's hour is recorded data.
process.env.TZ = 'UTC'
const log = pino({ name: 'treeos-worker', level: process.env.TREEOS_LOG ?? 'info' }, pino.destination(2))

let worker: RunningWorker | null = null
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    if (worker === null) process.exit(0) // nothing was taken on yet
    worker.stop()
  })
}
worker = await startWorker(process.env, log)
const { taskQueue, mind, metrics } = worker
console.log(JSON.stringify({ ready: true, pid: process.pid, taskQueue, mind, metrics }))
await worker.done
log.info('stopped')
