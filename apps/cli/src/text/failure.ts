import { type ErrorCode, isErrorCode, type Json, NotPlainJsonError, TreeosError } from '@treeos/core'

/** An error as users meet it. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly detail?: Json
}

/** The command line itself is wrong: exit status 2. */
export class UsageError extends TreeosError {
  constructor(message: string) {
    super('INVALID_INPUT', message)
  }
}

/** A service that a command needs is not there. */
export const unavailable = (message: string): TreeosError => new TreeosError('SERVICE_UNAVAILABLE', message)

export function failureOf(error: unknown): Failure {
  if (error instanceof TreeosError) return withWhereItsWordsAre(error.toJSON())
  if (error instanceof NotPlainJsonError) return { code: 'INVALID_INPUT', message: error.message }
  // Errors of @treeos/local carry their code; the class is not loaded by commands that need no services.
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && isErrorCode(error.code))
    return { code: error.code, message: error.message }
  return { code: 'INTERNAL', message: messageOf(error) }
}

/** A model server refused a call. */
const REFUSED_CALL = /\bmodel answered (with an error inside \()?\d{3}/

/**
 * The words of a model server stand in no error and no log, since they may quote the prompt and the key. Doctor makes a call with neither
 * prompt nor secrets of a being, and shows what the server says of that.
 */
function withWhereItsWordsAre(failure: Failure): Failure {
  if (failure.code !== 'LLM_FAILED' || !REFUSED_CALL.test(failure.message)) return failure
  return {
    ...failure,
    message: `${failure.message}; \`treeos doctor\` makes a small call to the model, and shows what its server says`,
  }
}

/** Refused connections come as an AggregateError with an empty message, one error an address. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
