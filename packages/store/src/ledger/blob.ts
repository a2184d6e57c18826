import type { Digest, Json } from '@treeos/core'
import type { Db } from '../sql/database.ts'
import { decodeJson, encodeJson } from '../sql/stored-json.ts'
import { digestOf } from './hash.ts'

/** Stores a JSON value under its digest. Storing it again changes nothing. */
export async function putBlob(db: Db, value: unknown): Promise<Digest> {
  const digest = digestOf(value)
  await db
    .insertInto('blob')
    .values({ digest, bytes: encodeJson(value) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return digest
}

/** @returns null when no value has this digest */
export async function readBlob(db: Db, digest: Digest): Promise<Json | null> {
  const row = await db.selectFrom('blob').select('bytes').where('digest', '=', digest).executeTakeFirst()
  return row === undefined ? null : decodeJson(row.bytes)
}
