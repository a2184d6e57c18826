/**
 * TreeOS as one Temporal plugin, with the daemons of a worker: doorbells, schedules, lapsed leases, the
 * archive.
 */
export {
  createEmbedder,
  createModel,
  type Embedder,
  faultOfEndpoint,
  keyVariables,
  type Model,
  type ModelEndpoint,
  type ModelOptions,
  modelEndpoint,
  modelsFile,
  type Observer,
  type Prices,
  type ProbeResult,
  probeEndpoint,
  readConnections,
  readPrices,
  resolveDefaultModel,
  resolveModelEndpoint,
  shownAddress,
} from '@treeos/activities'
export { readDataConverter } from '@treeos/local'
export { Archivist, type History, historiesFolder, listArchived, readArchive } from './archive.ts'
export { CalledWorkflows } from './called-workflows.ts'
export { Doorbells } from './doorbells.ts'
export { type FailingRun, listFailingRuns } from './failing-tasks.ts'
export type {
  HostActivities,
  HostAnswer,
  HostLook,
  HostReply,
  HostSignal,
  HostSummon,
} from './host-activities.ts'
export { joinObservers } from './join-observers.ts'
export { releaseLapsed } from './lapsed-leases.ts'
export type { MetricsPlace } from './metrics.ts'
export { findNameHolder } from './name-mark.ts'
export { isOpenTemporal } from './open-temporal.ts'
export type { TreeosOptions } from './options.ts'
export type { PreparedReality, PrepareOptions } from './prepare.ts'
export { Schedules } from './schedules.ts'
export { skipWorkflowStackTraces } from './stack-traces.ts'
export { tunerOf } from './task-slots.ts'
export { type TreeosPlugin, treeos, workflowsPath } from './treeos.ts'
export { ServiceAwayError, type WaitOptions, waitFor, waitReason } from './wait-for.ts'
export { type WorkflowBundleOptions, workflowBundle } from './workflow-bundle.ts'
