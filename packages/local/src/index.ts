/** Finds or starts, records and stops the services that one instance of TreeOS needs on this machine. */
export { LocalError } from './error.ts'
export { type FindOptions, findExecutable, type TemporalBinary } from './executables.ts'
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
} from './instance.ts'
export { freePort, PortTakenError } from './ports.ts'
export { ensurePostgres, type Postgres, type PostgresOptions } from './postgres.ts'
export { isRunning, type Process, processStart, spawnDetached, tail, terminate } from './process.ts'
export { removeInstance } from './remove.ts'
export { ensureTemporal, type Temporal, type TemporalOptions } from './temporal.ts'
export { findTemporal } from './temporal-find.ts'
