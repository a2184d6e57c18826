import type { BeingName } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import type { PortalDb } from '../store/schema.ts'
import { hashOf, isSecret, newSecret } from './secrets.ts'

const DAYS = 180
export const DEVICE_SECONDS = DAYS * 24 * 3600
/** Of a person; the ones that were used longest ago are forgotten. */
const DEVICES_MAX = 20

/**
 * A browser in which a person has signed in before. It opens nothing. But failures elsewhere do not make it
 * wait, so nobody locks a person out of its own browser by guessing at its name.
 */
export async function isKnownDevice(
  db: Kysely<PortalDb>,
  secret: string | undefined,
  being?: BeingName,
): Promise<boolean> {
  if (!isSecret(secret)) return false
  const known = db
    .selectFrom('device')
    .select('being')
    .where('secret_hash', '=', hashOf(secret))
    .where('used_at', '>', sql<Date>`clock_timestamp() - make_interval(days => ${DAYS})`)
  const found = await (being === undefined ? known : known.where('being', '=', being)).executeTakeFirst()
  return found !== undefined
}

/**
 * Remembers a browser in which a person has just signed in.
 * @param secret that it brought; one that we gave out is kept, since several persons may use one browser
 * @returns the secret that it is to keep
 */
export async function rememberDevice(
  db: Kysely<PortalDb>,
  being: BeingName,
  secret: string | undefined,
): Promise<string> {
  const kept = secret !== undefined && (await isKnownDevice(db, secret)) ? secret : newSecret()
  await db
    .insertInto('device')
    .values({ secret_hash: hashOf(kept), being })
    .onConflict((same) =>
      same.columns(['being', 'secret_hash']).doUpdateSet({ used_at: sql`clock_timestamp()` }),
    )
    .execute()
  await db
    .deleteFrom('device')
    .where('being', '=', being)
    .where('secret_hash', 'in', (all) =>
      all
        .selectFrom('device')
        .select('secret_hash')
        .where('being', '=', being)
        .orderBy('used_at', 'desc')
        .offset(DEVICES_MAX),
    )
    .execute()
  return kept
}
