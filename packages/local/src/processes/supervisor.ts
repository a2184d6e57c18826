import { claimInstance, isKeptUp } from '../instance/claim.ts'
import { forgetService, recordService } from '../instance/instance.ts'
import { UP } from '../instance/services.ts'
import { allBut, type StoppedProcess, stopServices, stopUnrecorded } from '../instance/stop.ts'
import { onEnding } from '../machine/end-signals.ts'
import { thisProcess } from '../machine/process.ts'
import { launch, untilReady } from './launch.ts'
import type { Programs, StartOptions } from './servers.ts'
import { isThere, superviseServices } from './supervise.ts'

const READY_MS = 60_000

/**
 * Starts the process that supervises a detached instance, with `<instance>/up.log`, and waits until it does.
 * @param giveUp releases the claim that this process holds, which the supervisor waits for
 * @throws {LocalError} with the end of its log
 */
export async function startSupervisor(
  dataDir: string,
  { treeos }: Programs,
  giveUp: () => Promise<void>,
): Promise<void> {
  const launched = await launch(dataDir, UP, [treeos, 'up', '--supervise', '--data', dataDir])
  await giveUp()
  // By ours, or by another that was faster.
  const isReady = () => isKeptUp(dataDir) || null
  await untilReady(launched, { what: 'the supervisor', readyMs: READY_MS }, isReady)
}

/**
 * Supervises an instance that was started detached, as a foreground `treeos up` does: it holds the claim,
 * starts again what ends, and stops everything when a signal asks it to.
 */
export async function supervise({ dataDir, onProgress, ...options }: StartOptions): Promise<void> {
  const ending = onEnding({ watch: false })
  const tell = (line: string) => onProgress(`${new Date().toISOString()} ${line}`)
  const held = await Promise.race([claimInstance(dataDir, tell), ending.promise])
  if (held === null || typeof held === 'string') return ending.release()
  const self = thisProcess()
  try {
    await recordService(dataDir, { name: UP, process: self, address: '', detail: { state: 'ready' } })
    tell(`process ${self.pid} supervises this instance`)
    const supervision = superviseServices({ ...options, dataDir, onProgress: tell })
    const why = await Promise.race([ending.promise, supervision.deleted])
    await supervision.stop()
    const onStopped = ({ name, end }: StoppedProcess) => tell(`${name} ${end}`)
    if (typeof why !== 'string') return await stopUnrecorded(why, onStopped)
    tell(`${why}: stopping everything`)
    await stopServices(dataDir, allBut(new Set()), onStopped)
  } finally {
    if (isThere(dataDir)) await forgetService(dataDir, UP, self)
    held.release()
    ending.release()
  }
}
