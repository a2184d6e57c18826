import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { type BeingName, sealedId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const PREFIX = 'sealed:'

/** For what a text is sealed. */
export interface SealedFor {
  /** whose thing is to hold it */
  readonly being: BeingName
  /** id of the wake whose moment may make that thing: the key is deleted when that is over without one */
  readonly wake: string
  /**
   * with the wake it names the text, so that sealing it again gives the same; left out, each call makes
   * another sealed text
   */
  readonly name?: string
}

/**
 * Seals a text under a key of its own.
 * @returns the sealed text, which may be recorded; null where that wake is over, the thing was made before,
 *   or too many texts of the being wait
 */
export async function sealText(
  db: Db,
  text: string,
  { being, wake, name }: SealedFor,
): Promise<string | null> {
  const seed =
    name === undefined ? randomBytes(16) : createHash('sha256').update(`${being}\0${wake}\0${name}`).digest()
  const id = `note-${seed.subarray(0, 16).toString('hex')}`
  const { rows } = await sql<{ key: Buffer | null }>`
    select treeos.seal_text(${id}, ${being}, ${wake}, ${randomBytes(32)}::bytea, ${text}) as key`.execute(db)
  const key = rows[0]?.key ?? null
  if (key === null) return null
  // Made from key and text, so that no nonce serves for two texts.
  const nonce = createHmac('sha256', key).update(`nonce\0${text}`).digest().subarray(0, NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(id))
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return `${PREFIX}${id}:${Buffer.concat(sealed).toString('base64url')}`
}

/** A sealed text of the same length, which nobody can open. */
export const sealedWithout = (text: string): string =>
  `${PREFIX}note-${'0'.repeat(32)}:${Buffer.alloc(NONCE_BYTES + Buffer.byteLength(text) + TAG_BYTES).toString('base64url')}`

/**
 * The sealed texts among these that can still be read, by their keys. It is for workers, and for commands of
 * the operator.
 */
export async function openSealed(db: Db, sealed: readonly string[]): Promise<Map<string, string>> {
  const ids = sealed.flatMap((one) => sealedId(one) ?? [])
  if (ids.length === 0) return new Map()
  return openedBy(
    await db.selectFrom('sealed_text').select(['id', 'key']).where('id', 'in', ids).execute(),
    sealed,
  )
}

/**
 * The same, of those that something shows: a finished moment the notes that it recalled, an entry `asked/…`
 * what its call is to keep, and a thing from outside itself, so that a person may vouch for it. It needs no
 * right to read keys.
 * @param shownIn id of the moment or of the entry, or key of the thing
 */
export async function openShown(
  db: Db,
  shownIn: string,
  sealed: readonly string[],
): Promise<Map<string, string>> {
  if (sealed.length === 0) return new Map()
  const { rows } = await sql<{
    id: string
    key: Buffer
  }>`select * from treeos.keys_shown(${shownIn})`.execute(db)
  return openedBy(rows, sealed)
}

function openedBy(
  rows: readonly { readonly id: string; readonly key: Buffer }[],
  sealed: readonly string[],
): Map<string, string> {
  const keys = new Map(rows.map(({ id, key }) => [id, key]))
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

/** Models that may make a vector of one note. A worker adds vectors and changes none, so something has to bound them. */
const VECTORS_MAX = 8

/**
 * Notes of these beings that have no vector of a model so far, and may have one more, opened.
 * @param without ids that are left out
 */
export async function listUnlikened(
  db: Db,
  {
    beings,
    model,
    most,
    without,
  }: {
    readonly beings: readonly BeingName[]
    readonly model: string
    readonly most: number
    readonly without: readonly string[]
  },
): Promise<{ readonly id: string; readonly text: string }[]> {
  const { rows } = await sql<{ id: string; key: Buffer; sealed: string | null }>`
    select s.id, s.key, treeos.told(convert_to(p.state, 'UTF8'))->'content'->>'text' as sealed
    from treeos.sealed_text s join treeos.projection p on p.key = 'matter:' || s.id
    where s.being = any(${[...beings]}::text[]) and p.place is not null and cardinality(s.vectors) < ${VECTORS_MAX}
      and not exists (select from unnest(s.vectors) v where v.model = ${model}) and s.id <> all(${[...without]}::text[])
    order by s.id limit ${most}`.execute(db)
  return rows.flatMap(({ id, key, sealed }) => {
    const text = sealed === null || sealedId(sealed) !== id ? null : opened(sealed, id, key)
    return text === null ? [] : [{ id, text }]
  })
}

/** Adds the vector of a note by a model; one that the model made before stays. */
export async function keepVector(
  db: Db,
  id: string,
  model: string,
  vector: readonly number[],
): Promise<void> {
  await sql`select treeos.keep_vector(${id}, ${model}, ${[...vector]}::real[])`.execute(db)
}
