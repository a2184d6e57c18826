/**
 * Names of errors that a retry cannot fix. Their messages hold names and numbers only, so they may go into
 * history. `RecordRefusedError`: Postgres does not take what is written. The table in
 * `packages/store/src/sql/sqlstates.ts` says when.
 */
export const FINAL_ERRORS: readonly string[] = [
  'StaleGenerationError',
  'UnknownBeingError',
  'RecordRefusedError',
]

/**
 * Type of the failure by which a run ends whose workflow gives a moment another stack than its worker: its
 * details name both digests.
 */
export const STACK_DIFFERS = 'StackDiffers'
