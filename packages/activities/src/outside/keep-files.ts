import { createHash } from 'node:crypto'
import {
  type BeingName,
  type BroughtFile,
  canonicalJson,
  FILES_MAX,
  fileNameIn,
  type MomentId,
  masked,
  matterReel,
  mediaTypeOf,
  parseMomentId,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { keepFile } from '@treeos/store'
import type { KeepBrought, OutsideFile } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import { withPostgresRetry } from '../guard/guard.ts'
import { secretIn } from './secrets.ts'

/** What one attempt of an effect has kept so far. */
export type KeptFiles = () => readonly BroughtFile[]

/** For whom an attempt keeps files. */
interface KeepingFor {
  readonly moment: MomentId
  /** who asked the outside */
  readonly actor: BeingName
  /** key of the effect: another attempt that brings the same file keeps nothing more */
  readonly key: string
  readonly secrets: Readonly<Record<string, string>>
}

/** Why a file is not kept, in words for the record. It quotes nothing of the outside. */
class UnkeptFile extends Error {}

/**
 * Keeps files that an effect brings, each before its result is recorded, which names them by digest. One of
 * which no act makes a thing goes when its being gives another.
 */
export function keepingFiles(
  deps: BeatDeps,
  at: KeepingFor,
): { readonly keep: KeepBrought; readonly kept: KeptFiles } {
  const files = new Map<string, BroughtFile>()
  const keep: KeepBrought = async (given) => {
    try {
      const file = noteOf(given, at, deps.fileBounds.fileBytesMax)
      if (!files.has(file.id)) {
        if (files.size >= FILES_MAX) throw new UnkeptFile(`an act keeps at most ${FILES_MAX} files`)
        await store(deps, at.actor, file, given.bytes)
        files.set(file.id, file)
      }
      return { thing: matterReel(file.id) }
    } catch (error) {
      if (error instanceof UnkeptFile) return { why: error.message }
      throw error
    }
  }
  return { keep, kept: () => [...files.values()] }
}

/** @throws {UnkeptFile} */
function noteOf(
  { name: said, mediaType: claimed, bytes }: OutsideFile,
  { moment, actor, key, secrets }: KeepingFor,
  bytesMax: number,
): BroughtFile {
  if (parseMomentId(moment).being !== actor)
    throw new UnkeptFile(`${stanceOf(actor)} asked for it through another being, which gives no file`)
  if (bytes.length === 0) throw new UnkeptFile('it is empty')
  if (bytes.length > bytesMax)
    throw new UnkeptFile(`it has ${bytes.length} bytes, at most ${bytesMax} are kept of one file`)
  const secret = secretIn(bytes, secrets)
  if (secret !== null) throw new UnkeptFile(`it holds the secret ${secret}`)
  const name = fileNameIn(masked(said, secrets))
  const file = {
    digest: createHash('sha256').update(bytes).digest('hex'),
    mediaType: typeOf(bytes, name, claimed),
    bytes: bytes.length,
    name,
  }
  const id = createHash('sha256')
    .update(canonicalJson({ effect: key, ...file }))
    .digest('hex')
    .slice(0, 32)
  return { id: `file-${id}`, ...file }
}

function typeOf(bytes: Uint8Array, name: string, claimed: string | null): string {
  try {
    return mediaTypeOf(bytes, name, claimed)
  } catch (error) {
    if (error instanceof TreeosError)
      throw new UnkeptFile('its bytes are not of the type that it is said to have')
    throw error
  }
}

/** @throws {UnkeptFile} */
async function store(
  { db, observe, fileBounds }: BeatDeps,
  giver: BeingName,
  { id, mediaType }: BroughtFile,
  bytes: Uint8Array,
): Promise<void> {
  const { allFilesBytesMax } = fileBounds
  const answer = await withPostgresRetry(observe, () =>
    keepFile(db, { id, giver, mediaType, bytes }, allFilesBytesMax),
  )
  if (answer === 'full')
    throw new UnkeptFile(`at most ${allFilesBytesMax} bytes are kept of all files of ${stanceOf(giver)}`)
  if (answer === 'unmade')
    throw new UnkeptFile(
      `100 files of ${stanceOf(giver)} wait until their things are made: try again in an hour`,
    )
  if (answer === 'taken') throw new UnkeptFile('it was kept before, and erased')
}
