import { forgetService, readInstance } from '../instance/instance.ts'
import { PORTAL, serviceOf } from '../instance/services.ts'
import { messageOf } from '../machine/error.ts'
import { isRunning } from '../machine/process.ts'
import { ensurePostgres } from '../postgres/postgres.ts'
import { ensureTemporal } from '../temporal/temporal.ts'
import { ensureCheckpoints } from './checkpoints.ts'
import { ensurePortal } from './portal.ts'
import type { Servers, StartOptions } from './servers.ts'
import { ensureTraces } from './traces.ts'
import { ensureWorker } from './workers.ts'

/**
 * Finds or starts everything an instance needs. What runs already is left as it is.
 * @param withPortal starts the portal too
 * @returns whether its reality was made just now
 */
export async function startEverything(
  options: StartOptions,
  withPortal: boolean,
): Promise<{ readonly isNew: boolean }> {
  const { dataDir, programs, onProgress } = options
  const place = await startServers(options)
  const planted = await programs.plant(place, options)
  await ensureWorker(options, place)
  await ensureCheckpoints(options, place)
  await ensureTraces(options, place)
  if (withPortal)
    await ensurePortal(options, place).catch((error: unknown) => {
      onProgress(`the portal does not run, everything else does: ${messageOf(error)}`)
    })
  else await forgetEndedPortal(dataDir)
  return planted
}

export async function startServers(options: StartOptions): Promise<Servers> {
  const { dataDir, env = process.env, onProgress } = options
  const { searchAttributes } = options.programs
  // Waits for both: if one fails at once, the other must not go on starting unnoticed.
  const [postgres, temporal] = await Promise.allSettled([
    ensurePostgres({ dataDir, env, onProgress }),
    ensureTemporal({ dataDir, env, onProgress, searchAttributes }),
  ])
  if (postgres.status === 'rejected') throw postgres.reason
  if (temporal.status === 'rejected') throw temporal.reason
  const { address, namespace, kind } = temporal.value
  const { url: ownerUrl, workerUrl: databaseUrl, portalUrl, sequencerUrl } = postgres.value
  const signalsUrl = env.TREEOS_ACT_SIGNAL === '0' ? null : postgres.value.signalsUrl
  return {
    ...{ databaseUrl, signalsUrl, ownerUrl, portalUrl, sequencerUrl },
    temporal: { address, namespace },
    isOwnTemporal: kind !== 'external',
  }
}

/** Otherwise whoever keeps the instance up would start it again. */
async function forgetEndedPortal(dataDir: string): Promise<void> {
  const ended = serviceOf(readInstance(dataDir), PORTAL)?.process
  if (ended != null && !isRunning(ended)) await forgetService(dataDir, PORTAL, ended)
}
