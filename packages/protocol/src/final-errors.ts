/** Names of errors that a retry cannot fix. Their messages hold names and numbers only, so they may go into history. */
export const FINAL_ERRORS: readonly string[] = ['StaleGenerationError', 'UnknownBeingError']
