import { setFlagsFromString } from 'node:v8'

/**
 * Stops the SDK from taking a stack trace of every promise that a workflow makes, which it does to answer the query
 * `__stack_trace`. Measured: a tenth of all CPU of a moment (docs/performance.md). For a process that runs beings and
 * little else: errors in its workflows come without frames too. Call it before `Worker.create`; what runs already, the
 * main thread included, keeps its traces.
 */
export function skipWorkflowStackTraces(): void {
  setFlagsFromString('--stack-trace-limit=0')
}
