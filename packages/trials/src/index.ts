/** Trials: past moments asked again, of another role, flow, model or layout. Nothing of it is written into the record. */
export { KeptAnswers } from './kept.ts'
export type { TrialLine } from './line.ts'
export type { Models } from './models.ts'
export { runTrial, type TrialEstimate } from './run.ts'
export { checkTrial } from './shape.ts'
export type { TrialSummary } from './summary.ts'
