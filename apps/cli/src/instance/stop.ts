import { forgetService, isRunning, type Process, readInstance, type Service, terminate } from '@treeos/local'
import { UP } from './instance.ts'
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
 * Ends services of an instance, workers first (they finish what is under way while their servers still run), then the
 * servers, the last started first.
 */
export async function stopServices(
  dataDir: string,
  isOurs: (service: Service) => boolean,
  onStopped: (stopped: StoppedService) => void = () => undefined,
): Promise<void> {
  const own = readInstance(dataDir)
    .services.filter((service) => service.name !== UP && isOurs(service))
    .reverse()
  const isServer = ({ name }: Service) => name === 'postgres' || name === 'temporal'
  const stop = async ({ name, process: known, stopSignal = 'SIGTERM' }: Service) => {
    if (known !== null) {
      const end = await terminate(known, { graceMs: GRACE_MS, signal: stopSignal })
      onStopped({ name, pid: known.pid, end })
    }
    await forgetService(dataDir, name, known ?? undefined)
  }
  await Promise.all(own.filter((service) => !isServer(service)).map(stop))
  for (const service of own.filter(isServer)) await stop(service)
  if (readInstance(dataDir).services.every(({ name }) => name === UP)) forgetSettings(dataDir)
}
