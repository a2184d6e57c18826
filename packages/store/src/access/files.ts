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
export type FileKept = 'kept' | 'taken' | 'full'

/** Keeps the bytes of a file until its giver makes the thing that holds them. */
export async function keepFile(db: Db, { id, giver, mediaType, bytes }: GivenFile): Promise<FileKept> {
  const { rows } = await sql<{ answer: FileKept }>`
    select treeos.keep_file(${id}, ${giver}, ${mediaType}, ${Buffer.from(bytes)}) as answer`.execute(db)
  return rows[0]?.answer ?? 'taken'
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
