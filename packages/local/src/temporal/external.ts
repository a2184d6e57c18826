import { resolve } from 'node:path'
import { LocalError, messageOf } from '../machine/error.ts'
import { configFileOf, readAccess, type TemporalAccess } from './access.ts'
import { prepareNamespace, withConnection } from './namespace.ts'

/**
 * The server the user named: TEMPORAL_ADDRESS, or a profile chosen by TEMPORAL_PROFILE or
 * TEMPORAL_CONFIG_FILE that has an address. A profile that the user did not choose is ignored: it may be a
 * production cluster.
 * @returns null when none is named
 * @throws LocalError when it does not answer, or the namespace or search attributes are missing and cannot be
 *   added
 */
export async function externalTemporal(
  dataDir: string,
  env: NodeJS.ProcessEnv,
  searchAttributes: readonly string[],
  onProgress: (line: string) => void,
): Promise<(TemporalAccess & { address: string }) | null> {
  const { TEMPORAL_ADDRESS, TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE } = env
  if (!TEMPORAL_ADDRESS && !TEMPORAL_PROFILE && !TEMPORAL_CONFIG_FILE) return null
  const isOurs = TEMPORAL_CONFIG_FILE && resolve(TEMPORAL_CONFIG_FILE) === configFileOf(dataDir)
  if (isOurs && !TEMPORAL_ADDRESS) return null // it was set for other programs
  const named = env.TEMPORAL_ADDRESS ? 'TEMPORAL_ADDRESS' : 'the chosen temporal.toml profile'
  const { options, namespace } = await readAccess(env)
  const { address } = options
  if (!address) return null
  onProgress(`using Temporal at ${address}, as ${named} says`)
  try {
    await withConnection(options, (connection) =>
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
  return { address, namespace, options }
}
