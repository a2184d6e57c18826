import { createHash, randomBytes } from 'node:crypto'
import {
  type BeingName,
  canonicalJson,
  FILES_MAX,
  type FileNote,
  fileBoundsIn,
  fileIn,
  fileNameIn,
  filesNamed,
  matterReel,
  mediaTypeOf,
  parseCall,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { countFileBytes, findEntry, keepFile, openFile } from '@treeos/store'
import { mayRead } from '@treeos/world'
import { withSnapshot } from '../beings/being-snapshot.ts'
import { act } from './act.ts'
import type { Connection } from './connection.ts'

/** A file as somebody gives it. */
export interface FileInput {
  readonly name: string
  /** as its sender says it; null where it says nothing */
  readonly mediaType: string | null
  readonly bytes: Uint8Array
}

/** A file that a thing holds. */
export interface KeptFile {
  /** address of the thing */
  readonly thing: string
  readonly file: FileNote
}

/**
 * Gives a file: keeps its bytes, and makes a thing of it in the hands of the being. It is from outside until a
 * person vouches for it, since nobody here wrote what it says.
 * @param key names the request: given again with the same key, the same file is one thing
 * @throws {TreeosError} PAYLOAD_TOO_LARGE, INVALID_INPUT, RATE_LIMITED for who has given too much; the code of
 *   a refusal
 */
export async function giveFile(
  at: Connection,
  as: BeingName,
  { name: said, mediaType: claimed, bytes }: FileInput,
  key?: string,
): Promise<KeptFile> {
  const { fileBytesMax: bytesMax, allFilesBytesMax } = { ...fileBoundsIn({}), ...at.fileBounds }
  const name = fileNameIn(said)
  if (bytes.length > bytesMax)
    throw new TreeosError(
      'PAYLOAD_TOO_LARGE',
      `${JSON.stringify(name)} has ${bytes.length} bytes, at most ${bytesMax} are taken`,
    )
  if (bytes.length === 0) throw new TreeosError('INVALID_INPUT', `${JSON.stringify(name)} is empty`)
  const mediaType = mediaTypeOf(bytes, name, claimed)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const file = { digest, mediaType, bytes: bytes.length, name }
  const id = idOf(key === undefined ? null : { as, key, ...file })
  const call = parseCall({ verb: 'do', operation: 'keep-file', target: stanceOf(as), args: { id, ...file } })
  // Asked first, so that nobody who may not make the thing fills the table.
  await withSnapshot(at, as, async ({ reader, judge }) => {
    if ((await reader.matter(id)) === null) await judge(call)
  })
  const kept = await keepFile(at.db, { id, giver: as, mediaType, bytes }, allFilesBytesMax)
  if (kept === 'unmade')
    throw new TreeosError(
      'RATE_LIMITED',
      `100 files of ${stanceOf(as)} wait until their things are made: try again in an hour`,
    )
  if (kept === 'full') {
    const used = await countFileBytes(at.db, as)
    throw new TreeosError(
      'RATE_LIMITED',
      `${stanceOf(as)} has given ${used} bytes of files, and ${JSON.stringify(name)} has ${bytes.length}: at most ${allFilesBytesMax} are kept of one being. ` +
        'Erase files that nobody needs, or have the operator raise TREEOS_ALL_FILES_BYTES_MAX',
    )
  }
  if (kept === 'taken') throw new TreeosError('RESOURCE_CONFLICT', 'this file was given before, and erased')
  const thing = matterReel(id)
  const keyed = key === undefined ? undefined : `${key} ${id}`
  const { waiting } = await act(at, as, call, undefined, keyed, true)
  if (waiting === undefined) return { thing, file }
  throw new TreeosError('FORBIDDEN', `to keep a file, ${stanceOf(as)} needs the yes of a person`)
}

/** Several, in their order. @returns addresses of their things */
export async function giveFiles(
  at: Connection,
  as: BeingName,
  files: readonly FileInput[],
  key?: string,
): Promise<string[]> {
  if (files.length > FILES_MAX)
    throw new TreeosError('INVALID_INPUT', `${files.length} files, at most ${FILES_MAX} are taken at once`)
  const things: string[] = []
  for (const file of files) things.push((await giveFile(at, as, file, key)).thing)
  return things
}

function idOf(of: object | null): string {
  const bytes =
    of === null
      ? randomBytes(16)
      : createHash('sha256')
          .update(canonicalJson({ file: of }))
          .digest()
          .subarray(0, 16)
  return `file-${bytes.toString('hex')}`
}

/**
 * The bytes of the file that a thing holds, for who may read the thing, and for who was told of it by its
 * owner.
 * @param told id of the entry in the being's inbox that tells of it; null for none
 * @throws {TreeosError} MATTER_NOT_FOUND for what is not there, and for what the being may not read
 */
export async function readKeptFile(
  at: Connection,
  as: BeingName,
  id: string,
  told: string | null = null,
): Promise<{ readonly file: FileNote; readonly bytes: Buffer }> {
  const matter = await withSnapshot(at, as, async ({ reader, me, surface }) => {
    const row = await reader.matter(id)
    return row !== null && { row, isRead: await mayRead({ world: reader, me, surface }, row) }
  })
  const file = matter === false ? null : fileIn(matter.row.content)
  if (
    matter !== false &&
    file !== null &&
    (matter.isRead || (await isTold(at, as, told, { id, owner: matter.row.owner })))
  ) {
    const bytes = await openFile(at.db, id, file)
    if (bytes !== null) return { file, bytes }
  }
  throw new TreeosError('MATTER_NOT_FOUND', `no file ${matterReel(id)} is there that you may read`)
}

/** Whether an entry of a being's inbox brings the file, and was said by its owner. */
async function isTold(
  { db }: Pick<Connection, 'db'>,
  as: BeingName,
  told: string | null,
  { id, owner }: { readonly id: string; readonly owner: BeingName },
): Promise<boolean> {
  const entry = told === null ? null : await findEntry(db, told)
  return entry?.being === as && entry.caller?.name === owner && filesNamed(entry.content).includes(id)
}
