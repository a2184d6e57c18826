import { setTimeout as sleep } from 'node:timers/promises'
import { readInstance, recordService } from '../instance/instance.ts'
import { keeperOf, PORTAL, runningService } from '../instance/services.ts'
import { LocalError } from '../machine/error.ts'
import { freePort } from '../machine/ports.ts'
import { terminate } from '../machine/process.ts'
import { environmentOf, launch, NotReadyError, readyLine, runsWith, untilReady } from './launch.ts'
import { type Servers, type StartOptions, serversOf } from './servers.ts'

const PORT = 7438
const READY_MS = 150_000 // in a checkout it builds its page first
const RESTART_POLL_MS = 200
/** Without model keys, and without the owner of the tables: the portal needs neither. */
const KEPT =
  /^(TREEOS_(?!OWNER_|PEOPLE_|SIGNALS_|SEQUENCER_)|TEMPORAL_|NODE_|PATH$|HOME$|USER$|LANG$|LC_|TMPDIR$|SSL_CERT_)/

/** Starts the portal, unless it runs with the servers of now. @throws {LocalError} with the end of its log */
export async function ensurePortal(options: StartOptions, place: Servers): Promise<void> {
  const { dataDir, env = process.env, programs, onProgress } = options
  if (place.portalUrl === null) {
    onProgress(
      'no portal: with a Postgres of your own, set TREEOS_PORTAL_DATABASE_URL to a login that is a member of treeos_portal',
    )
    return
  }
  if (await runsWith(dataDir, PORTAL, place)) return
  await programs.migratePortal(place.ownerUrl, onProgress)
  onProgress('starting the portal')
  const wanted = env.TREEOS_PORTAL_PORT ? Number(env.TREEOS_PORTAL_PORT) : undefined
  const preferred = readInstance(dataDir).ports.portal ?? PORT
  try {
    await startPortal(options, place, await freePort('the portal', { wanted, preferred }))
  } catch (error) {
    // Another program took the port after it was found free, such as the portal of an instance that started
    // at the same time.
    const isTaken = error instanceof NotReadyError && error.told === 'RESOURCE_CONFLICT'
    if (wanted !== undefined || !isTaken) throw error
    await startPortal(options, place, await freePort('the portal', {}))
  }
}

/**
 * Ends the portal, so that what keeps the instance up starts one that reads its files anew, and waits for
 * that.
 * @returns false when it did not run, or nothing keeps the instance up: then nothing was ended
 */
export async function restartPortal(dataDir: string): Promise<boolean> {
  const before = runningService(dataDir, PORTAL)?.process
  if (before == null || keeperOf(dataDir) === null) return false
  await terminate(before)
  for (const until = Date.now() + READY_MS; Date.now() < until; await sleep(RESTART_POLL_MS)) {
    const now = runningService(dataDir, PORTAL)
    if (now !== null && now.address !== '' && now.process?.pid !== before.pid) return true
  }
  throw new LocalError(
    `the portal of ${dataDir} does not serve again within ${READY_MS / 1000} s: see portal.log there`,
  )
}

/** Starts it in a session of its own, with `<instance>/portal.log`, and waits until it serves. */
async function startPortal(
  { dataDir, env = process.env, programs }: StartOptions,
  place: Servers,
  port: number,
): Promise<void> {
  const args = [programs.treeos, 'portal', '--supervised', '--json', '--port', `${port}`, '--data', dataDir]
  const launched = await launch(dataDir, PORTAL, args, environmentOf(dataDir, env, KEPT))
  const service = { name: PORTAL, process: launched.process, address: '', detail: serversOf(place) }
  await recordService(dataDir, service, { portal: port })
  try {
    const { url } = await untilReady(
      launched,
      { what: 'the portal', readyMs: READY_MS },
      readyLine<{ url: string }>,
    )
    await recordService(dataDir, {
      ...service,
      address: new URL(url).host,
      detail: { ...service.detail, url },
    })
  } catch (error) {
    await terminate(launched.process) // its record stays: whoever keeps the instance up tries again
    throw error
  }
}
