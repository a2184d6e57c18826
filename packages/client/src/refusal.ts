import { isTransient } from '@treeos/chain'
import { NotPlainJsonError, TreeosError } from '@treeos/core'

/** What the Temporal client throws when the way to the server, or the server, is at fault. */
const TEMPORAL_FAULTS = new Set(['ServiceError', 'TransportError', 'GrpcConnectionError'])

/**
 * An error as somebody outside may be told of it. A refusal says itself; of anything else only the code: messages of
 * Postgres and of libraries quote statements, rows and paths.
 */
export function refusalOf(error: unknown): TreeosError {
  if (error instanceof TreeosError) return error
  if (error instanceof NotPlainJsonError) return new TreeosError('INVALID_INPUT', error.message)
  if (isTransient(error) || (error instanceof Error && TEMPORAL_FAULTS.has(error.name)))
    return new TreeosError('SERVICE_UNAVAILABLE', 'a service is away for a moment: try again')
  return new TreeosError(
    'INTERNAL',
    'something went wrong here; the server that you spoke to has logged what',
  )
}
