import { LocalError, messageOf } from '../machine/error.ts'
import { prepareNamespace, withConnection } from './namespace.ts'

/**
 * The server the user named: TEMPORAL_ADDRESS, or a profile chosen by TEMPORAL_PROFILE or TEMPORAL_CONFIG_FILE that
 * has an address. A profile that the user did not choose is ignored: it may be a production cluster.
 * @returns null when none is named
 * @throws LocalError when it does not answer, or the namespace or search attributes are missing and cannot be added
 */
export async function externalTemporal(
  env: NodeJS.ProcessEnv,
  searchAttributes: readonly string[],
  onProgress: (line: string) => void,
): Promise<{ address: string; namespace: string } | null> {
  if (!env.TEMPORAL_ADDRESS && !env.TEMPORAL_PROFILE && !env.TEMPORAL_CONFIG_FILE) return null
  const named = env.TEMPORAL_ADDRESS ? 'TEMPORAL_ADDRESS' : 'the chosen temporal.toml profile'
  const config = await load(env)
  const { address } = config.connectionOptions
  if (!address) return null
  const namespace = config.namespace ?? 'default'
  onProgress(`using Temporal at ${address}, as ${named} says`)
  try {
    await withConnection(config.connectionOptions, (connection) =>
      prepareNamespace(connection, { namespace, searchAttributes }),
    )
  } catch (error) {
    if (error instanceof LocalError) throw error
    throw new LocalError(
      `${named} names ${address}, which does not answer: ${messageOf(error)}. ` +
        'Start that server, correct the variable, or unset it to use the one TreeOS brings along',
      { cause: error },
    )
  }
  return { address, namespace }
}

async function load(env: NodeJS.ProcessEnv) {
  const { loadClientConnectConfig } = await import('@temporalio/envconfig')
  const given = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined)
  try {
    return loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(given) })
  } catch (error) {
    throw new LocalError(`the Temporal configuration cannot be read: ${messageOf(error)}`, { cause: error })
  }
}
