/** Finds, starts and keeps up Postgres, Temporal and our processes on this machine, which one instance of TreeOS needs. */

export { bad, type Check, type Finding, good, RECHECK, unseen } from './health/check.ts'
export { checkMachine } from './health/machine.ts'
export {
  type Beat,
  type ModelCalls,
  type Moments,
  readVitals,
  sumUp,
  type Vitals,
  type Wakes,
} from './health/vitals.ts'
export {
  forgetService,
  type Instance,
  InstanceBusyError,
  instanceDir,
  isAlive,
  lockInstance,
  openInstance,
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
  UP,
} from './instance/services.ts'
export {
  forgetSettings,
  type Settings,
  saveSettings,
  unappliedSettings,
  withSettings,
} from './instance/settings.ts'
export { type Stopped, stopInstance } from './instance/stop.ts'
export { onEnding, untilEnding } from './machine/ending.ts'
export { LocalError, messageOf, systemCode } from './machine/error.ts'
export { readIfThere, writeWhole as writePrivate } from './machine/files.ts'
export { acquireLock, type Lock, LockedError } from './machine/lock.ts'
export { freePort, PortTakenError } from './machine/ports.ts'
export { isRunning, type Process, processStart, spawnDetached, tail, terminate } from './machine/process.ts'
export { ensurePostgres, type Postgres, type PostgresOptions } from './postgres/postgres.ts'
export { checkpointsFolder, NO_SEQUENCER } from './processes/checkpoints.ts'
export { runWorker } from './processes/one-more-worker.ts'
export {
  dataFlag,
  hasTemporal,
  locatePortalPostgres,
  locatePostgres,
  locateSequencerPostgres,
  locateTemporal,
  namesTemporal,
  type PostgresPlace,
  serviceDown,
  type TemporalPlace,
  temporalUiOf,
  withoutSecrets,
} from './processes/places.ts'
export type { Programs, Servers, StartOptions } from './processes/servers.ts'
export { supervise } from './processes/supervisor.ts'
export { type UpOptions, up } from './processes/up.ts'
export {
  configFileOf,
  keyFileOf,
  readAccess,
  type TemporalAccess,
  temporalEnvironment,
} from './temporal/access.ts'
export { connectTemporal } from './temporal/connect.ts'
export { type FindOptions, findExecutable, type TemporalBinary } from './temporal/executables.ts'
export { findTemporal } from './temporal/find.ts'
export { ensureTemporal, type Temporal, type TemporalOptions } from './temporal/temporal.ts'
