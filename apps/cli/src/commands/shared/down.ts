import { forgetService, isRunning, type Process, readInstance, terminate } from '@treeos/local'
import { serviceOf, UP } from '../../instance/instance.ts'
import { allBut, type StoppedService, stopServices } from '../../instance/stop.ts'
import { messageOf } from '../../text/failure.ts'
import type { ExitStatus, Output } from '../../text/output.ts'

/** The process that keeps an instance up stops its worker and both servers before it ends. */
const KEEPER_GRACE_MS = 60_000

/** Stops an instance, however it was started, and what a killed start left behind. */
export async function down(dataDir: string, out: Output): Promise<ExitStatus> {
  const before = readInstance(dataDir).services
  const stopped: StoppedService[] = []
  const keeper = serviceOf(readInstance(dataDir), UP)?.process ?? null
  if (keeper !== null) await endKeeper(dataDir, keeper, out)
  await stopServices(dataDir, allBut(new Set()), (service) => stopped.push(service))
  const ended = before
    .filter(
      ({ name, process: known }) =>
        known !== null && name !== UP && !stopped.some((one) => one.name === name),
    )
    .map(({ name, process: known }): StoppedService => ({ name, pid: known!.pid, end: 'stopped' }))
  out.value({ stopped: [...ended, ...stopped] }, ({ stopped: all }) => {
    if (all.length === 0) return `nothing runs in ${dataDir}`
    return all.map(({ name, end }) => `${name} ${end}`).join('\n')
  })
  return 0
}

/** Stops it first: it would start again what we stop. */
async function endKeeper(dataDir: string, keeper: Process, out: Output): Promise<void> {
  if (isRunning(keeper))
    out.progress(`asking process ${keeper.pid}, which keeps this instance up, to stop it`)
  try {
    await terminate(keeper, { graceMs: KEEPER_GRACE_MS })
  } catch (error) {
    out.progress(messageOf(error))
  }
  await forgetService(dataDir, UP, keeper)
}
