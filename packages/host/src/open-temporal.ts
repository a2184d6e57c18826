import type { Connection, ConnectionOptions } from '@temporalio/client'
import { connectTemporal } from '@treeos/local'

const CALL_MS = 5_000
/** Codes of gRPC by which a server refuses a caller: PERMISSION_DENIED and UNAUTHENTICATED. */
const REFUSALS = [7, 16]

/**
 * Whether a Temporal server answers callers that show no credential: no API key, no metadata and no client
 * certificate. It is tried, since the settings of a client do not tell what the server checks.
 * @param options of a client that the server answers
 * @throws when the server answers nobody now
 */
export async function isOpenTemporal(options: ConnectionOptions, namespace: string): Promise<boolean> {
  const { apiKey: _, metadata: __, ...rest } = options
  const fault = await temporalFault({ ...rest, tls: withoutCertificate(rest.tls) }, namespace)
  if (fault === null) return true
  if (REFUSALS.includes(grpcStatusOf(fault))) return false
  // A server that asks for certificates ends the handshake, which looks as if nobody were there.
  const ours = await temporalFault(options, namespace)
  if (ours !== null) throw ours
  return false
}

function withoutCertificate(tls: ConnectionOptions['tls']): NonNullable<ConnectionOptions['tls']> {
  if (typeof tls !== 'object' || tls === null) return tls ?? false
  const { clientCertPair: _, ...rest } = tls
  return rest
}

async function temporalFault(options: ConnectionOptions, namespace: string): Promise<unknown> {
  let connection: Connection | null = null
  try {
    connection = await connectTemporal({ ...options, connectTimeout: CALL_MS })
    const { workflowService } = connection
    await connection.withDeadline(Date.now() + CALL_MS, () =>
      workflowService.describeNamespace({ namespace }),
    )
    return null
  } catch (error) {
    return error ?? new Error('no reason given')
  } finally {
    await connection?.close()
  }
}

/** The code of gRPC, which the SDK's own errors hold as their cause. */
function grpcStatusOf(error: unknown): number {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'number') return code
  }
  return -1
}
