import { EMPTY_ROOT, HASH_BYTES } from './hash.ts'
import { NoteError, readNote, signersOf, type Verifier } from './note.ts'
import { isConsistent } from './proofs.ts'

/** What a checkpoint commits to: the first `size` entries of the log. */
export interface TreeHead {
  readonly size: number
  readonly root: Buffer
}

/** A checkpoint whose signature was checked. */
export interface Checkpoint extends TreeHead {
  readonly origin: string
  /** the signed note, as it was written */
  readonly note: string
}

/** The name of the log of a reality, and of the key that signs its checkpoints. */
export const originOf = (reality: string): string => `treeos/${reality}`

/** The text of a C2SP tlog-checkpoint. */
export const checkpointText = (origin: string, { size, root }: TreeHead): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`

/**
 * Reads a checkpoint of this log, signed by one of the verifiers.
 * @throws {NoteError} saying what is wrong with it
 */
export function openCheckpoint(note: string, origin: string, verifiers: readonly Verifier[]): Checkpoint {
  const parsed = readNote(note)
  const [of, sizeText = '', rootText = ''] = parsed.text.split('\n')
  const root = Buffer.from(rootText, 'base64')
  const size = Number(sizeText)
  if (of !== origin) throw new NoteError(`it is of the log ${JSON.stringify(of)}, not of ${origin}`)
  if (parsed.text !== checkpointText(origin, { size, root }) || !Number.isSafeInteger(size) || size < 0)
    throw new NoteError('it is not a checkpoint: origin, size and root, a line each')
  if (root.length !== HASH_BYTES) throw new NoteError('its root is not a SHA-256')
  if (signersOf(parsed, verifiers).length === 0) throw new NoteError('no key that is known here signed it')
  return { origin, size, root, note }
}

/**
 * Why a tree may not follow another one.
 * - `smaller`: entries are gone
 * - `fork`: as many entries, with another root
 * - `inconsistent`: nothing proves that it begins with the entries of the other
 */
export type Refusal = 'smaller' | 'fork' | 'inconsistent'

/** Judges whether a signer that last signed one tree may sign the next. @param proof of consistency, of any origin */
export function whyNotSignable(
  last: TreeHead | null,
  next: TreeHead,
  proof: readonly Buffer[],
): Refusal | null {
  if (last === null) return next.size > 0 || next.root.equals(EMPTY_ROOT) ? null : 'fork'
  if (next.size < last.size) return 'smaller'
  if (next.size === last.size) return next.root.equals(last.root) ? null : 'fork'
  return isConsistent(last, next, proof) ? null : 'inconsistent'
}
