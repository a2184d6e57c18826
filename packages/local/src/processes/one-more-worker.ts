import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { TreeosError } from '@treeos/core'
import { forgetService, processStart, readInstance, recordNumbered, recordService } from '@treeos/local'
import { locatePostgres, locateTemporal, WORKER_PREFIX } from '../../instance/instance.ts'
import { watchLaunchers } from '../../instance/launcher.ts'
import { withSettings } from '../../instance/settings.ts'
import { readReady, serversOf, workerEnvironment, workerProgram } from '../../instance/workers.ts'
import { type ExitStatus, type Output, plain } from '../../text/output.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A worker in the foreground: its own lines come out as ours, and it ends with us. */
export async function runWorker(dataDir: string, out: Output): Promise<ExitStatus> {
  const { url } = locatePostgres(dataDir)
  const temporal = locateTemporal(dataDir)
  const settings = withSettings(dataDir, process.env)
  const env = workerEnvironment(dataDir, { databaseUrl: url }, settings)
  // Detached, so that Ctrl-C reaches it once, through us.
  const child = spawn(process.execPath, [workerProgram()], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit')
  const stop = () => child.kill('SIGTERM')
  for (const signal of SIGNALS) process.on(signal, stop)
  const unwatch = watchLaunchers(stop)
  const known = { pid: child.pid ?? 0, startedAt: processStart(child.pid ?? 0) ?? '' }
  const servers = temporal.kind === 'environment' ? {} : serversOf({ databaseUrl: url, temporal })
  const service = { process: known, address: '', detail: servers }
  const isRecorded = readInstance(dataDir).services.length > 0
  const name = isRecorded ? await recordNumbered(dataDir, WORKER_PREFIX, service) : null
  try {
    const [[code, signal]] = await Promise.all([
      ended as Promise<[number | null, NodeJS.Signals | null]>,
      passOn(child.stdout, async (said) => {
        if (name !== null) await recordService(dataDir, { ...service, name, detail: { ...servers, ...said } })
      }),
    ])
    // SIGTERM: we or `treeos down` stopped it before it could handle the signal.
    if (code !== 0 && signal !== 'SIGTERM')
      throw new TreeosError('INTERNAL', `the worker ended with ${signal ?? code}`)
    out.progress('the worker stopped')
    return 0
  } finally {
    stop() // it ends with us, also after a failure here
    unwatch()
    if (name !== null) await forgetService(dataDir, name, known)
  }
}

/** Prints its lines as they come. */
async function passOn(lines: Readable, onReady: (detail: Record<string, string>) => Promise<void>) {
  for await (const line of createInterface(lines)) {
    process.stdout.write(`${plain(line)}\n`)
    const detail = readReady(line)
    if (detail !== null) await onReady(detail)
  }
}
