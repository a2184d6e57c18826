import { NotPlainJsonError, TreeosError } from '@treeos/core'
import { isTransient } from '@treeos/store'

/** Errors that the Temporal client throws when the server is unreachable or failing. */
const TEMPORAL_FAULTS = new Set(['ServiceError', 'TransportError', 'GrpcConnectionError'])

/**
 * Turns an error into one that is safe to send to a client. A TreeosError stays as it is. Any other error
 * becomes a code without its message, since messages of Postgres and of libraries quote statements, rows and
 * paths.
 * @returns INVALID_INPUT for content that is not plain JSON, SERVICE_UNAVAILABLE for an outage, otherwise
 *   INTERNAL
 */
export function refusalOf(error: unknown): TreeosError {
  if (error instanceof TreeosError) return error
  if (error instanceof NotPlainJsonError) return new TreeosError('INVALID_INPUT', error.message)
  if (isTransient(error) || (error instanceof Error && TEMPORAL_FAULTS.has(error.name)))
    return new TreeosError('SERVICE_UNAVAILABLE', 'a service is unavailable: try again in a few seconds')
  return new TreeosError('INTERNAL', 'internal error; the log of the server has the details')
}
