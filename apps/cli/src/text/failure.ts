import { type ErrorCode, isErrorCode, type Json, NotPlainJsonError, TreeosError } from '@treeos/core'
import { toldByCommandLine } from './remedies.ts'

/** An error as users meet it. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly detail?: Json
}

/**
 * The command line itself is wrong, whatever the instance holds: exit status 2. So is an argument that is
 * neither JSON nor an address, and a path where nothing can be read or written. What a file or standard input
 * holds is not a part of the command line.
 */
export class UsageError extends TreeosError {
  constructor(message: string, code: ErrorCode = 'INVALID_INPUT', detail?: Json) {
    super(code, message, detail)
  }
}

/** Reads an argument. @throws {UsageError} for one that `read` refuses, with the code of the refusal */
export function argument<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof TreeosError) throw new UsageError(error.message, error.code, error.detail)
    throw error instanceof NotPlainJsonError ? new UsageError(error.message) : error
  }
}

const WRONG_PATH = [
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENAMETOOLONG',
  'ELOOP',
  'ENXIO',
]

/**
 * @param what happened to it: `cannot be read`
 * @returns the error of a file that the command line names: a UsageError where the path is wrong
 */
export function fileError(file: string, what: string, error: unknown): TreeosError {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException
  // the call and its path, which may be that of a draft
  const why = messageOf(error).replace(/, \w+ '.*'$/, '')
  const message = `${file} ${what}: ${why}`
  return WRONG_PATH.includes(code) ? new UsageError(message) : new TreeosError('INVALID_INPUT', message)
}

/** A service that a command needs is not there. */
export const unavailable = (message: string): TreeosError => new TreeosError('SERVICE_UNAVAILABLE', message)

export function failureOf(error: unknown): Failure {
  if (error instanceof TreeosError) return toldByCommandLine(error).toJSON()
  if (error instanceof NotPlainJsonError) return { code: 'INVALID_INPUT', message: error.message }
  // Errors of @treeos/local carry their code; the class is not loaded by commands that need no services.
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && isErrorCode(error.code))
    return { code: error.code, message: error.message }
  return { code: 'INTERNAL', message: messageOf(error) }
}

/** Refused connections come as an AggregateError with an empty message, one error an address. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
