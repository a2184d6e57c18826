import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { TreeosError } from '@treeos/core'
import { forgetService, processStart, readInstance, recordService } from '@treeos/local'
import { locatePostgres, locateTemporal } from './instance.ts'
import { watchLaunchers } from './launcher.ts'
import type { ExitStatus, Output } from './output.ts'
import { mindDetail } from './start.ts'
import { freeWorkerName, workerEnvironment, workerProgram } from './workers.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A worker in the foreground: its own lines come out as ours, and it ends with us. */
export async function runWorker(dataDir: string, out: Output): Promise<ExitStatus> {
  const { url } = locatePostgres(dataDir)
  const temporal = locateTemporal(dataDir)
  const env =
    temporal.kind === 'environment'
      ? { ...process.env, DATABASE_URL: url, TREEOS_DATA: dataDir }
      : workerEnvironment(dataDir, { databaseUrl: url, temporal })
  // Detached, so that Ctrl-C reaches it once, through us.
  const child = spawn(process.execPath, [workerProgram()], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  const stop = () => child.kill('SIGTERM')
  for (const signal of SIGNALS) process.on(signal, stop)
  const unwatch = watchLaunchers(stop)
  const name = freeWorkerName(dataDir)
  const known = { pid: child.pid ?? 0, startedAt: processStart(child.pid ?? 0) ?? '' }
  const isRecorded = readInstance(dataDir).services.length > 0
  try {
    if (isRecorded)
      await recordService(dataDir, { name, process: known, address: '', detail: await mindDetail() })
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null]
    // SIGTERM: it was told to stop, by us or by `treeos down`, before it could say that it would.
    if (code !== 0 && signal !== 'SIGTERM')
      throw new TreeosError('INTERNAL', `the worker ended with ${signal ?? code}`)
    out.progress('the worker stopped')
    return 0
  } finally {
    unwatch()
    if (isRecorded) await forgetService(dataDir, name, known)
  }
}
