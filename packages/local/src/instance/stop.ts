import { forgetService, isRunning, type Process, readInstance, type Service, terminate } from '@treeos/local'
import { CHECKPOINTS, UP } from './instance.ts'
import { forgetSettings } from './settings.ts'

/** A worker waits 15 s for its current moments before it drops them. */
const GRACE_MS = 20_000

export interface StoppedService {
  readonly name: string
  readonly pid: number
  readonly end: 'gone' | 'stopped' | 'killed'
}

/** Identifies one process, also after its pid is used again. */
export const keyOf = ({ pid, startedAt }: Process): string => `${pid} ${startedAt}`

/** Keys of what runs now. */
export function runningKeys(dataDir: string): Set<string> {
  const processes = readInstance(dataDir).services.map((service) => service.process)
  return new Set(
    processes.filter((known) => known !== null && isRunning(known)).map((known) => keyOf(known!)),
  )
}

/** Selects the services that a run of `treeos up` stops: all but those that ran before it. */
export function allBut(kept: ReadonlySet<string>): (service: Service) => boolean {
  // A server of the user's own is never stopped. Its record is removed when the whole instance stops.
  return ({ process: known }) => (known === null ? kept.size === 0 : !kept.has(keyOf(known)))
}

/**
 * Ends services of an instance, workers first (they finish what is under way while their servers still run), then the signer of
 * checkpoints, which signs what they did last, then the servers.
 */
export async function stopServices(
  dataDir: string,
  isOurs: (service: Service) => boolean,
  onStopped: (stopped: StoppedService) => void = () => undefined,
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
  onStopped: (stopped: StoppedService) => void,
): Promise<void> => inOrder(services, (service) => end(service, onStopped))

const LATE = [CHECKPOINTS, 'temporal', 'postgres']

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
  { name, process: known, stopSignal = 'SIGTERM' }: Service,
  onStopped: (stopped: StoppedService) => void,
): Promise<void> {
  if (known === null) return
  onStopped({ name, pid: known.pid, end: await terminate(known, { graceMs: GRACE_MS, signal: stopSignal }) })
}
