/** Traces of moments for OpenTelemetry, made from what is recorded. */
export { collector, mayTellContent, resourceOf } from './collector.ts'
export { type ExportOptions, exportTraces, type SentTraces } from './follow.ts'
export { REALITY_LABELS, RealityMetrics } from './metrics.ts'
export { type Position, positionIn } from './position.ts'
export { type FailedAttempt, type FinishedMoment, type ModelUsage, readMoments } from './read-moments.ts'
export { type SpanOptions, spansOf } from './spans.ts'
