/** What a trial takes and tells, for those who run none: this loads no model and nothing of replay. */

export type { PreparedTrial, TrialEstimate } from './run.ts'
export { checkTrial, type Trial } from './shape.ts'
export type { TrialSummary } from './summary.ts'
export type { TrialLine } from './trial-line.ts'
