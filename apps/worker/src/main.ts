#!/usr/bin/env node
import { pino } from 'pino'
import { startWorker } from './worker.ts'

// The sandbox would else read the host's time zone; a moment's hour is recorded data.
process.env.TZ = 'UTC'
const log = pino({ name: 'treeos-worker', level: process.env.TREEOS_LOG ?? 'info' }, pino.destination(2))
const worker = await startWorker(process.env, log)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => worker.stop())
console.log(
  JSON.stringify({ ready: true, pid: process.pid, taskQueue: worker.taskQueue, model: worker.model }),
)
await worker.done
log.info('stopped')
