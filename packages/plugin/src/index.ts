/** The runtime as a Temporal plugin: extensions in, one plugin out. */
export { createModel, type Mind, type Model, mindOf, type Observer, resolveMind } from '@treeos/activities'
export { skipWorkflowStackTraces } from './stack-traces.ts'
export { type TreeosOptions, treeos, workflowsPath } from './treeos.ts'
export { reasonOf, ServiceAwayError, type WaitOptions, waitFor } from './wait-for.ts'
