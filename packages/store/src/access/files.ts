import type { BeingName, FileNote, MatterId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** The bytes of a file, for the thing that will hold them. */
export interface GivenFile {
  readonly id: MatterId
  readonly giver: BeingName
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** `kept`, or why not: see the SQL function. */
export type FileKept = 'kept' | 'taken' | 'full' | 'unmade'

/**
 * Keeps the bytes of a file until its giver makes the thing that holds them.
 * @param bytesMax of all files that its giver gave and that are kept
 */
export async function keepFile(
  db: Db,
  { id, giver, mediaType, bytes }: GivenFile,
  bytesMax: number,
): Promise<FileKept> {
  const { rows } = await sql<{ answer: FileKept }>`
    select treeos.keep_file(${id}, ${giver}, ${mediaType}, ${Buffer.from(bytes)}, ${bytesMax}) as answer`.execute(
    db,
  )
  return rows[0]?.answer ?? 'taken'
}

/** Bytes of all files that a being gave and that are kept. */
export async function countFileBytes(db: Db, giver: BeingName): Promise<number> {
  const { sum } = await db
    .selectFrom('file')
    .select(({ fn }) => fn.sum<number | string | null>('size').as('sum'))
    .where('being', '=', giver)
    .executeTakeFirstOrThrow()
  return Number(sum ?? 0)
}

/** The bytes that a thing holds, as it says; null where they were erased, or never were its own. */
export async function openFile(
  db: Db,
  id: MatterId,
  { digest }: Pick<FileNote, 'digest'>,
): Promise<Buffer | null> {
  const row = await db
    .selectFrom('file')
    .select('bytes')
    .where('id', '=', id)
    .where('digest', '=', digest)
    .executeTakeFirst()
  return row?.bytes ?? null
}
