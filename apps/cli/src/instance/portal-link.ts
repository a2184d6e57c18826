import { TreeosError } from '@treeos/core'
import { locatePortalPostgres, PORTAL, readInstance, runningService } from '@treeos/local'
import {
  addressOfHost,
  hasAccount,
  makeLink,
  OWN_LINK_MINUTES,
  type PortalDb,
  portalOf,
} from '@treeos/portal'
import { openDatabase } from '@treeos/store'
import type { Kysely } from 'kysely'

const OPERATOR = 'operator'

/**
 * Where people reach the portal: that of the instance, or one that runs elsewhere on the database that the
 * environment names, by the first of TREEOS_PORTAL_HOSTS.
 * @throws {TreeosError} SERVICE_UNAVAILABLE when none runs
 */
export function requirePortalUrl(dataDir: string, env: NodeJS.ProcessEnv = process.env): string {
  const url = runningService(dataDir, PORTAL)?.detail?.url
  if (url != null) return url
  const [first = ''] = (env.TREEOS_PORTAL_HOSTS ?? '').split(/[\s,]+/).filter((name) => name !== '')
  const isElsewhere = Boolean(env.TREEOS_PORTAL_DATABASE_URL) && readInstance(dataDir).services.length === 0
  if (isElsewhere && first !== '') return addressOfHost(first)
  throw new TreeosError(
    'SERVICE_UNAVAILABLE',
    isElsewhere
      ? 'links need the address of your portal: set TREEOS_PORTAL_HOSTS to it, as in https://world.example.org'
      : 'no portal runs here: `treeos up` starts one',
  )
}

/**
 * A link by which the first operator chooses how it signs in, for a quarter of an hour; null once that is
 * done.
 */
export async function firstLink(dataDir: string, portalUrl: string): Promise<string | null> {
  return withStore(dataDir, async (store) => {
    if (await hasAccount(store, OPERATOR)) return null
    return linkTo(portalUrl, await makeLink(store, OPERATOR, { minutes: OWN_LINK_MINUTES }))
  })
}

/** Whether the first operator has never signed in here. */
export async function needsFirstLink(dataDir: string): Promise<boolean> {
  return (await withStore(dataDir, async (store) => !(await hasAccount(store, OPERATOR)))) ?? false
}

/** @returns null where the portal has no database */
async function withStore<T>(
  dataDir: string,
  use: (store: Kysely<PortalDb>) => Promise<T>,
): Promise<T | null> {
  const place = locatePortalPostgres(dataDir)
  if (place === null) return null
  const db = openDatabase(place.url, { poolMax: 1 })
  try {
    return await use(portalOf(db))
  } finally {
    await db.destroy()
  }
}

/** The secret stands behind the `#`, which browsers send to nobody. */
export const linkTo = (portalUrl: string, token: string): string => `${portalUrl}/welcome#${token}`

/** The same for a link that answers one call. */
export const answerLinkTo = (portalUrl: string, token: string): string => `${portalUrl}/answer#${token}`
