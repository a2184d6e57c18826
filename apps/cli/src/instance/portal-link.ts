import { locatePortalPostgres } from '@treeos/local'
import { hasAccount, makeLink, portalOf } from '@treeos/portal'
import { openDatabase } from '@treeos/store'

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
