import { TreeosError } from '@treeos/core'
import { locatePortalPostgres, PORTAL, runningService } from '@treeos/local'
import { hasAccount, makeLink, portalOf } from '@treeos/portal'
import { openDatabase } from '@treeos/store'

/** Where the portal of an instance is. @throws {TreeosError} SERVICE_UNAVAILABLE when none runs */
export function requirePortalUrl(dataDir: string): string {
  const url = runningService(dataDir, PORTAL)?.detail?.url
  if (url != null) return url
  throw new TreeosError('SERVICE_UNAVAILABLE', 'no portal runs here: `treeos up` starts one')
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
