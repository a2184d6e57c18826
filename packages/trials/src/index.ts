/**
 * Trials: past moments asked again, of another role, flow, model or layout. Nothing of it is written into the
 * record.
 */
export { KeptAnswers } from './kept-answers.ts'
export type { Models } from './models.ts'
export { prepareTrial, runTrial } from './run.ts'
export * from './trial-forms.ts'
