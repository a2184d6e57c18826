import { statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  freePort,
  isRunning,
  LocalError,
  openInstance,
  readInstance,
  recordService,
  spawnDetached,
  tail,
  terminate,
} from '@treeos/local'
import { hasAccount, makeLink, migratePortal, portalOf } from '@treeos/portal'
import { openDatabase } from '@treeos/store'
import { isAlive, locatePortalPostgres, PORTAL, serviceOf } from './instance.ts'
import type { Servers, StartOptions } from './servers.ts'
import { isStale, serversOf } from './workers.ts'

const PORT = 7438
const READY_MS = 150_000 // in a checkout it builds its page first
const POLL_MS = 50
/** What the portal says when its port is in use. */
const TAKEN = /port \d+ is taken/
/** Without model keys, and without the owner of the tables: the portal needs neither. */
const KEPT = /^(TREEOS_(?!OWNER_)|TEMPORAL_|NODE_|PATH$|HOME$|USER$|LANG$|LC_|TMPDIR$|SSL_CERT_)/

/** Starts the portal, unless it runs with the servers of now. @throws {LocalError} with the end of its log */
export async function ensurePortal(options: StartOptions, place: Servers): Promise<void> {
  const { dataDir, env = process.env, onProgress } = options
  if (place.portalUrl === null) {
    onProgress(
      'no portal: with a Postgres of your own, set TREEOS_PORTAL_DATABASE_URL to a login that is a member of treeos_portal',
    )
    return
  }
  const standing = serviceOf(readInstance(dataDir), PORTAL)
  if (standing !== null && isAlive(standing)) {
    if (!isStale(standing, place)) return
    if (standing.process !== null) await terminate(standing.process)
  }
  await bringUpToDate(place.ownerUrl, onProgress)
  onProgress('starting the portal')
  const wanted = env.TREEOS_PORTAL_PORT ? Number(env.TREEOS_PORTAL_PORT) : undefined
  const preferred = readInstance(dataDir).ports.portal ?? PORT
  try {
    await startPortal(dataDir, place, env, await freePort('the portal', { wanted, preferred }))
  } catch (error) {
    // Another program took the port after it was found free, such as the portal of an instance that started at the same time.
    if (wanted !== undefined || !(error instanceof LocalError) || !TAKEN.test(error.message)) throw error
    await startPortal(dataDir, place, env, await freePort('the portal', {}))
  }
}

async function bringUpToDate(ownerUrl: string, onProgress: (line: string) => void): Promise<void> {
  const owner = openDatabase(ownerUrl, { asOwner: true, poolMax: 1 })
  try {
    const migrations = await migratePortal(owner)
    if (migrations.length > 0) onProgress(`brought the database up to date: ${migrations.join(', ')}`)
  } finally {
    await owner.destroy()
  }
}

/** Starts it in a session of its own, with `<instance>/portal.log`, and waits until it serves. */
async function startPortal(
  dataDir: string,
  place: Servers,
  env: NodeJS.ProcessEnv,
  port: number,
): Promise<void> {
  openInstance(dataDir)
  const logFile = join(dataDir, 'portal.log')
  const from = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  const program = join(import.meta.dirname, `../main${extname(import.meta.filename)}`)
  const started = await spawnDetached({
    command: process.execPath,
    args: [program, 'portal', '--supervised', '--json', '--port', String(port), '--data', dataDir],
    logFile,
    env: {
      ...Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name))),
      TREEOS_DATA: dataDir,
    },
  })
  const service = { name: PORTAL, process: started, address: '', detail: serversOf(place) }
  await recordService(dataDir, service, { portal: port })
  for (const until = Date.now() + READY_MS; Date.now() < until && isRunning(started); await sleep(POLL_MS)) {
    const [line] = /^\{"ready":true\b.*$/m.exec(tail(logFile, { from, lines: 1_000 })) ?? []
    if (line === undefined) continue
    const { url } = JSON.parse(line) as { url: string }
    return recordService(dataDir, {
      ...service,
      address: new URL(url).host,
      detail: { ...service.detail, url },
    })
  }
  const what = isRunning(started) ? `is not ready within ${READY_MS / 1000} s` : 'ended while starting'
  await terminate(started) // its record stays: whoever keeps the instance up tries again
  throw new LocalError(`the portal ${what}. The end of ${logFile}:\n${tail(logFile, { from })}`)
}

/** A link by which the first operator chooses a password; null once that is done. */
export async function firstLink(dataDir: string, portalUrl: string): Promise<string | null> {
  const place = locatePortalPostgres(dataDir)
  if (place === null) return null
  const db = openDatabase(place.url, { poolMax: 1 })
  try {
    const store = portalOf(db)
    return (await hasAccount(store, 'operator')) ? null : linkTo(portalUrl, await makeLink(store, 'operator'))
  } finally {
    await db.destroy()
  }
}

/** The secret stands behind the `#`, which browsers send to nobody. */
export const linkTo = (portalUrl: string, token: string): string => `${portalUrl}/welcome#${token}`
