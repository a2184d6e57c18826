import { EMPTY_ROOT, HASH_BYTES } from './hash.ts'
import { NoteError, readNote, signersOf, type Verifier } from './note.ts'
import { isConsistent } from './proofs.ts'

/** What a checkpoint commits to: the first `size` entries of the log. */
export interface TreeHead {
  readonly size: number
  readonly root: Buffer
  /** the ends of all chains after these entries; left out by a signer that does not tell them */
  readonly heads?: TreeHeads | undefined
}

/** The tree over the ends of all chains: where each of them ends, so that a missing end shows. */
export interface TreeHeads {
  /** number of chains */
  readonly count: number
  readonly root: Buffer
}

/** A checkpoint whose signature was checked. */
export interface Checkpoint extends TreeHead {
  readonly origin: string
  /** the signed note, as it was written */
  readonly note: string
}

const ORIGIN = 'treeos/'
/** The name of the log of a reality, and of the key that signs its checkpoints. */
export const logOrigin = (reality: string): string => `${ORIGIN}${reality}`
export const realityOf = (origin: string): string => origin.slice(ORIGIN.length)

/** The text of a C2SP tlog-checkpoint. The ends of the chains are an extension line. */
export const checkpointText = (origin: string, { size, root, heads }: TreeHead): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n${heads === undefined ? '' : headsLine(heads)}`

const headsLine = ({ count, root }: TreeHeads): string => `heads ${count} ${root.toString('base64')}\n`

/**
 * Reads a checkpoint of this log, signed by one of the verifiers.
 * @throws {NoteError} saying what is wrong with it
 */
export function openCheckpoint(note: string, origin: string, verifiers: readonly Verifier[]): Checkpoint {
  const parsed = readNote(note)
  const [of, sizeText = '', rootText = '', headsText = ''] = parsed.text.split('\n')
  const root = Buffer.from(rootText, 'base64')
  const size = Number(sizeText)
  if (of !== origin) throw new NoteError(`it is of the log ${JSON.stringify(of)}, not of ${origin}`)
  const heads = readHeads(headsText)
  const head = { size, root, ...(heads === null ? {} : { heads }) }
  if (parsed.text !== checkpointText(origin, head) || !Number.isSafeInteger(size) || size < 0)
    throw new NoteError('it is not a checkpoint: origin, size, root and the ends of chains, a line each')
  if (root.length !== HASH_BYTES) throw new NoteError('its root is not a SHA-256')
  if (signersOf(parsed, verifiers).length === 0) throw new NoteError('no key that is known here signed it')
  return { origin, ...head, note }
}

function readHeads(line: string): TreeHeads | null {
  const [, count, root = ''] = /^heads (\d{1,15}) (\S+)$/.exec(line) ?? []
  const hash = Buffer.from(root, 'base64')
  return count === undefined || hash.length !== HASH_BYTES ? null : { count: Number(count), root: hash }
}

/**
 * Why a tree may not follow another one.
 * - `smaller`: entries are gone
 * - `fork`: as many entries, with another root
 * - `inconsistent`: nothing proves that it begins with the entries of the other
 */
export type Refusal = 'smaller' | 'fork' | 'inconsistent'

/**
 * Judges whether a signer that last signed one tree may sign the next.
 * @param proof of consistency, of any origin
 */
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
