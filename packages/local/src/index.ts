/**
 * Finds, starts and keeps up Postgres, Temporal and our processes on this machine, which one instance of
 * TreeOS needs.
 */

export { bad, type CheckResult, type DoctorCheck, good, RECHECK, unseen } from './health/check.ts'
export { checkMachine } from './health/machine.ts'
export {
  type Beat,
  type Load,
  type ModelCalls,
  type Moments,
  readVitals,
  sumUp,
  type Vitals,
  type Wakes,
} from './health/vitals.ts'
export { type WakeLimit, wakeLimit } from './health/wake-limit.ts'
export {
  type Instance,
  instanceDir,
  isAlive,
  readInstance,
  recordService,
  type Service,
} from './instance/instance.ts'
export { followLogs, lastLines, requireLogs } from './instance/logs.ts'
export { removeInstance } from './instance/remove.ts'
export {
  CHECKPOINTS,
  hasWorker,
  isWorker,
  keeperOf,
  metricsOf,
  PORTAL,
  runningService,
  runningWorkers,
  serviceOf,
  TRACES,
  UP,
} from './instance/services.ts'
export {
  forgetSettings,
  type Settings,
  saveSettings,
  unappliedSettings,
  withSettings,
} from './instance/settings.ts'
export { stopInstance } from './instance/stop.ts'
export { onEnding, untilEnding } from './machine/end-signals.ts'
export { systemCode } from './machine/error.ts'
export { writeWhole as writePrivate } from './machine/files.ts'
export { acquireLock, LockedError } from './machine/lock.ts'
export { freePort } from './machine/ports.ts'
export { processStart, tail } from './machine/process.ts'
export { shellWord } from './machine/shell-word.ts'
export { ensurePostgres, type Postgres } from './postgres/postgres.ts'
export { checkpointsFolder, NO_SEQUENCER } from './processes/checkpoints.ts'
export { runWorker } from './processes/one-more-worker.ts'
export { ownVariables } from './processes/own-programs.ts'
export {
  dataFlag,
  hasTemporal,
  type LoginPlace,
  locatePortalPostgres,
  locatePostgres,
  locateSequencerPostgres,
  locateTemporal,
  namesTemporal,
  type PostgresPlace,
  serviceDown,
  serviceLate,
  type TemporalPlace,
  temporalUiOf,
  withoutSecrets,
} from './processes/places.ts'
export { restartPortal } from './processes/portal.ts'
export { replayHours } from './processes/replays.ts'
export type { Programs, Servers, StartOptions } from './processes/servers.ts'
export { supervise } from './processes/supervisor.ts'
export { collectorOf } from './processes/traces.ts'
export { up } from './processes/up.ts'
export { restartWorkers } from './processes/workers.ts'
export { configFileOf, keyFileOf, readAccess, type TemporalAccess } from './temporal/access.ts'
export {
  type ClientPlace,
  connectTemporal,
  isDeadline,
  LateError,
  reachTemporal,
  temporalClient,
} from './temporal/connect.ts'
export { absoluteDataConverter, readDataConverter } from './temporal/data-converter.ts'
export { ensureTemporal, type Temporal } from './temporal/temporal.ts'
