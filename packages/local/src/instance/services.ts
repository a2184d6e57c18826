import { isRunning, type Process } from '../machine/process.ts'
import { type Instance, isAlive, readInstance, type Service } from './instance.ts'

export const WORKER_PREFIX = 'worker-'
export const PORTAL = 'portal'
export const CHECKPOINTS = 'checkpoints'
export const TRACES = 'traces'
/**
 * The record of the process that keeps an instance up: a `treeos up`, or the supervisor of a detached one.
 */
export const UP = 'up'

export function serviceOf(instance: Instance, name: string): Service | null {
  return instance.services.find((service) => service.name === name) ?? null
}

/** The recorded service while its process runs, else null. One that is not ours to stop counts as running. */
export function runningService(dataDir: string, name: string): Service | null {
  const service = serviceOf(readInstance(dataDir), name)
  return service !== null && isAlive(service) ? service : null
}

/** The process that keeps the instance up; null when none does. */
export const keeperOf = (dataDir: string): number | null => runningService(dataDir, UP)?.process?.pid ?? null

export const isWorker = (service: Service): boolean => service.name.startsWith(WORKER_PREFIX)

/** Workers whose process runs. */
export function runningWorkers(dataDir: string): (Service & { readonly process: Process })[] {
  return readInstance(dataDir).services.filter(
    (service): service is Service & { process: Process } =>
      isWorker(service) && service.process !== null && isRunning(service.process),
  )
}

export const hasWorker = (dataDir: string): boolean => runningWorkers(dataDir).length > 0

/** Where running workers serve their metrics. A worker that has not reported it yet is left out. */
export function metricsOf(dataDir: string): { readonly pid: number; readonly url: string }[] {
  return runningWorkers(dataDir).flatMap(({ process: { pid }, detail }) =>
    detail?.metrics == null ? [] : [{ pid, url: detail.metrics }],
  )
}
