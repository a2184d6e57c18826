/** The runtime as a Temporal plugin: extensions in, one plugin out. */
export {
  createModel,
  type Mind,
  type Model,
  type ModelOptions,
  mindOf,
  type Observer,
  type Prices,
  parsePrices,
  resolveMind,
} from '@treeos/activities'
export { skipWorkflowStackTraces } from './stack-traces.ts'
export { type TreeosOptions, treeos, workflowsPath } from './treeos.ts'
export { reasonOf, ServiceAwayError, type WaitOptions, waitFor } from './wait-for.ts'
