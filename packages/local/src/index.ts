/** Finds or starts, records and stops the services that one instance of TreeOS needs on this machine. */

export {
  forgetService,
  type Instance,
  InstanceBusyError,
  instanceDir,
  lockInstance,
  openInstance,
  readInstance,
  recordNumbered,
  recordService,
  type Service,
  type Stopped,
  stopInstance,
} from './instance/instance.ts'
export { removeInstance } from './instance/remove.ts'
export { LocalError, systemCode } from './machine/error.ts'
export { readIfThere, writeWhole as writePrivate } from './machine/files.ts'
export { acquireLock, type Lock, LockedError } from './machine/lock.ts'
export { freePort, PortTakenError } from './machine/ports.ts'
export { isRunning, type Process, processStart, spawnDetached, tail, terminate } from './machine/process.ts'
export { ensurePostgres, type Postgres, type PostgresOptions } from './postgres/postgres.ts'
export {
  configFileOf,
  keyFileOf,
  readAccess,
  type TemporalAccess,
  temporalEnvironment,
} from './temporal/access.ts'
export { connectTemporal } from './temporal/connect.ts'
export { type FindOptions, findExecutable, type TemporalBinary } from './temporal/executables.ts'
export { findTemporal, readyTemporal } from './temporal/find.ts'
export { ensureTemporal, type Temporal, type TemporalOptions } from './temporal/temporal.ts'
