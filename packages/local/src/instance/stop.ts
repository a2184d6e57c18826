import { messageOf } from '../machine/error.ts'
import { isRunning, type Process, terminate } from '../machine/process.ts'
import { forgetService, readInstance, type Service } from './instance.ts'
import { CHECKPOINTS, serviceOf, TRACES, UP } from './services.ts'
import { forgetSettings } from './settings.ts'

/** A worker waits 15 s for its current moments before it drops them. */
const GRACE_MS = 20_000
/** The process that keeps an instance up stops its worker and both servers before it ends. */
const KEEPER_GRACE_MS = 60_000

export interface StoppedProcess {
  readonly name: string
  readonly pid: number
  /** `gone`: it had ended before, or its pid belongs to another process by now */
  readonly end: 'gone' | 'stopped' | 'killed'
}

/** Identifies one process, also after its pid is used again. */
export const processKey = ({ pid, startedAt }: Process): string => `${pid} ${startedAt}`

/** Keys of what runs now. */
export function runningKeys(dataDir: string): Set<string> {
  return new Set(
    readInstance(dataDir).services.flatMap(({ process }) =>
      process !== null && isRunning(process) ? [processKey(process)] : [],
    ),
  )
}

/** Selects the services that a run of `treeos up` stops: all but those that ran before it. */
export function allBut(kept: ReadonlySet<string>): (service: Service) => boolean {
  // A server of the user's own is never stopped. Its record is removed when the whole instance stops.
  return ({ process }) => (process === null ? kept.size === 0 : !kept.has(processKey(process)))
}

/** Stops an instance, however it was started, and what a killed start left behind. */
export async function stopInstance(
  dataDir: string,
  onProgress: (line: string) => void = () => undefined,
): Promise<StoppedProcess[]> {
  const before = readInstance(dataDir).services
  const stopped: StoppedProcess[] = []
  const keeper = serviceOf(readInstance(dataDir), UP)?.process ?? null
  if (keeper !== null) await endKeeper(dataDir, keeper, onProgress)
  await stopServices(dataDir, allBut(new Set()), (service) => stopped.push(service))
  const byKeeper = before.flatMap(({ name, process }): StoppedProcess[] =>
    process === null || name === UP || stopped.some((one) => one.name === name)
      ? []
      : [{ name, pid: process.pid, end: 'stopped' }],
  )
  return [...byKeeper, ...stopped]
}

/** Ends it first: it would start again what we stop. */
async function endKeeper(
  dataDir: string,
  keeper: Process,
  onProgress: (line: string) => void,
): Promise<void> {
  if (isRunning(keeper)) onProgress(`asking process ${keeper.pid}, which keeps this instance up, to stop it`)
  try {
    await terminate(keeper, { graceMs: KEEPER_GRACE_MS })
  } catch (error) {
    onProgress(messageOf(error))
  }
  await forgetService(dataDir, UP, keeper)
}

/**
 * Ends services of an instance, workers first (they finish what is under way while their servers still run),
 * then the signer of checkpoints, which signs what they did last, then the servers. Leaves alone a process
 * whose start time differs from the recorded one.
 */
export async function stopServices(
  dataDir: string,
  isOurs: (service: Service) => boolean,
  onStopped: (stopped: StoppedProcess) => void = () => undefined,
): Promise<void> {
  await inOrder(readInstance(dataDir).services.filter(isOurs), async (service) => {
    await end(service, onStopped)
    await forgetService(dataDir, service.name, service.process ?? undefined)
  })
  if (readInstance(dataDir).services.every(({ name }) => name === UP)) forgetSettings(dataDir)
}

/** The same for an instance whose folder was deleted, so that nothing is recorded any more. */
export const stopUnrecorded = (
  services: readonly Service[],
  onStopped: (stopped: StoppedProcess) => void,
): Promise<void> => inOrder(services, (service) => end(service, onStopped))

const LATE = [CHECKPOINTS, TRACES, 'temporal', 'postgres']

async function inOrder(
  services: readonly Service[],
  stop: (service: Service) => Promise<void>,
): Promise<void> {
  const own = services.filter((service) => service.name !== UP).reverse()
  const isLate = ({ name }: Service) => LATE.includes(name)
  await Promise.all(own.filter((service) => !isLate(service)).map(stop))
  for (const name of LATE) for (const service of own.filter((one) => one.name === name)) await stop(service)
}

async function end(
  { name, process, stopSignal = 'SIGTERM' }: Service,
  onStopped: (stopped: StoppedProcess) => void,
): Promise<void> {
  if (process === null) return
  onStopped({
    name,
    pid: process.pid,
    end: await terminate(process, { graceMs: GRACE_MS, signal: stopSignal }),
  })
}
