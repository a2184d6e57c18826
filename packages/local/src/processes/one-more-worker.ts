import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { forgetService, readInstance, recordNumbered, recordService } from '../instance/instance.ts'
import { WORKER_PREFIX } from '../instance/services.ts'
import { withSettings } from '../instance/settings.ts'
import { onEnding } from '../machine/end-signals.ts'
import { processStart } from '../machine/process.ts'
import { locatePostgres, locateSignalsPostgres, locateTemporal } from './places.ts'
import { serversOf } from './servers.ts'
import { readReady, workerEnvironment } from './workers.ts'

/**
 * A worker in the foreground, which ends with us.
 * @param program the script of a worker
 * @param onLine is called for each line that it prints
 * @returns null when it ended in order; else its exit code or signal
 */
export async function runWorker(
  dataDir: string,
  program: string,
  onLine: (line: string) => void,
): Promise<number | string | null> {
  const { url } = locatePostgres(dataDir)
  const temporal = locateTemporal(dataDir)
  const settings = withSettings(dataDir, process.env)
  const signalsUrl = locateSignalsPostgres(dataDir, settings)?.url ?? null
  const env = workerEnvironment(dataDir, { databaseUrl: url, signalsUrl }, settings)
  // Detached, so that Ctrl-C reaches it once, through us.
  const child = spawn(process.execPath, [program], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const stop = () => child.kill('SIGTERM')
  const ending = onEnding({ watch: true })
  void ending.promise.then(stop)
  const known = { pid: child.pid ?? 0, startedAt: processStart(child.pid ?? 0) ?? '' }
  const servers = temporal.kind === 'environment' ? {} : serversOf({ databaseUrl: url, temporal })
  const service = { process: known, address: '', detail: servers }
  const isRecorded = readInstance(dataDir).services.length > 0
  const name = isRecorded ? await recordNumbered(dataDir, WORKER_PREFIX, service) : null
  try {
    const [[code, signal]] = await Promise.all([
      ended,
      passOn(child.stdout, onLine, async (said) => {
        if (name !== null) await recordService(dataDir, { ...service, name, detail: { ...servers, ...said } })
      }),
    ])
    // SIGTERM: we or `treeos down` stopped it before it could handle the signal.
    return code === 0 || signal === 'SIGTERM' ? null : (signal ?? code)
  } finally {
    stop() // it ends with us, also after a failure here
    ending.release()
    if (name !== null) await forgetService(dataDir, name, known)
  }
}

async function passOn(
  lines: Readable,
  onLine: (line: string) => void,
  onReady: (detail: Record<string, string>) => Promise<void>,
): Promise<void> {
  for await (const line of createInterface(lines)) {
    onLine(line)
    const detail = readReady(line)
    if (detail !== null) await onReady(detail)
  }
}
