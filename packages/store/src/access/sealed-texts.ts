import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { type BeingName, sealedId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const PREFIX = 'sealed:'

/**
 * Seals a text under a key of its own. Sealing the same text again under the same name gives the same.
 * @param name names the request: left out, each call makes another sealed text
 * @returns the sealed text, which may be recorded
 */
export async function sealText(db: Db, being: BeingName, text: string, name?: string): Promise<string> {
  const seed =
    name === undefined ? randomBytes(16) : createHash('sha256').update(`${being}\0${name}`).digest()
  const id = `note-${seed.subarray(0, 16).toString('hex')}`
  const { rows } = await sql<{ key: Buffer | null }>`
    select treeos.seal_text(${id}, ${being}, ${randomBytes(32)}::bytea, ${text}) as key`.execute(db)
  const key = rows[0]?.key ?? null
  if (key === null) throw new Error(`the sealed text ${id} belongs to another being`)
  // Made from key and text, so that no nonce serves for two texts.
  const nonce = createHmac('sha256', key).update(`nonce\0${text}`).digest().subarray(0, NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(id))
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return `${PREFIX}${id}:${Buffer.concat(sealed).toString('base64url')}`
}

/** A sealed text of the same length, which nobody can open. */
export const sealedWithout = (text: string): string =>
  `${PREFIX}note-${'0'.repeat(32)}:${Buffer.alloc(NONCE_BYTES + Buffer.byteLength(text) + TAG_BYTES).toString('base64url')}`

/** The sealed texts among these that can still be read. @param by only those that this being sealed; of anybody when left out */
export async function openSealed(
  db: Db,
  sealed: readonly string[],
  by?: BeingName,
): Promise<Map<string, string>> {
  const ids = sealed.flatMap((one) => sealedId(one) ?? [])
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('sealed_text')
    .select(['id', 'key', 'being'])
    .where('id', 'in', ids)
    .execute()
  const keys = new Map(
    rows.flatMap(({ id, key, being }) => (by === undefined || by === being ? [[id, key]] : [])),
  )
  return new Map(
    sealed.flatMap((one) => {
      const id = sealedId(one)
      const key = id === null ? undefined : keys.get(id)
      const text = id === null || key === undefined ? null : opened(one, id, key)
      return text === null ? [] : [[one, text] as const]
    }),
  )
}

/** Null for a text that was not sealed with this key. */
function opened(sealed: string, id: string, key: Buffer): string | null {
  const bytes = Buffer.from(sealed.slice(PREFIX.length + id.length + 1), 'base64url')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(id))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return (
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    )
  } catch {
    return null // altered, or sealed by nobody: it is shown as one that cannot be read
  }
}

/** Notes of these beings that have no vector of a model so far, opened. */
export async function listUnlikened(
  db: Db,
  beings: readonly BeingName[],
  model: string,
  most: number,
): Promise<{ readonly id: string; readonly text: string }[]> {
  const { rows } = await sql<{ id: string; key: Buffer; sealed: string | null }>`
    select s.id, s.key, p.state::jsonb->'content'->>'text' as sealed
    from treeos.sealed_text s join treeos.projection p on p.key = 'matter:' || s.id
    where s.being = any(${[...beings]}::text[]) and p.place is not null and s.model is distinct from ${model}
    order by s.id limit ${most}`.execute(db)
  return rows.flatMap(({ id, key, sealed }) => {
    const text = sealed === null || sealedId(sealed) !== id ? null : opened(sealed, id, key)
    return text === null ? [] : [{ id, text }]
  })
}

export async function keepVector(
  db: Db,
  id: string,
  model: string,
  vector: readonly number[],
): Promise<void> {
  await sql`select treeos.keep_vector(${id}, ${model}, ${[...vector]}::real[])`.execute(db)
}
