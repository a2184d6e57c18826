import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkpointText, type Refusal, realityOf, type TreeHead, whyNotSignable } from '../tree/checkpoint.ts'
import { type NoteSigner, signNote } from '../tree/note.ts'
import { addKeys, appendCheckpoint, findNewest, readKeys } from './checkpoint-files.ts'
import { loadSigners } from './keys.ts'

export interface SignerPlace {
  readonly origin: string
  /** with the secret keys; made where it is missing */
  readonly keyFile: string
  /** what it signed last */
  readonly lastFile: string
  /** of the checkpoints */
  readonly folder: string
}

/** What a signer signed last, as it keeps it in its own file. */
export interface LastSigned extends TreeHead {
  /** ms since 1970, by the signer's clock */
  readonly at: number
  /** a tree that it was offered since then, and did not sign */
  readonly refused: { readonly why: Refusal; readonly size: number; readonly at: number } | null
}

export type SigningResult =
  | { readonly status: 'signed'; readonly size: number; readonly note: string }
  | { readonly status: 'same'; readonly size: number }
  | { readonly status: 'refused'; readonly size: number; readonly why: Refusal; readonly last: number }

/**
 * Signs one tree after another, each of which begins with the one before. It remembers the last one in a file
 * of its own, and the checkpoints in its folder say it once more. One process at a time may use a place.
 */
export class Signer {
  readonly #place: SignerPlace
  readonly #keys: readonly NoteSigner[]
  #last: LastSigned | null
  #newest: { readonly size: number; readonly note: string } | null

  /** @throws {Error} for keys that it cannot use, or a file of its own that is damaged */
  constructor(place: SignerPlace) {
    this.#place = place
    this.#keys = loadSigners(place.keyFile, place.origin)
    addKeys(place.folder, this.#keys)
    // Only here: an instance whose folder is deleted must not make it again.
    mkdirSync(dirname(place.lastFile), { recursive: true, mode: 0o700 })
    const kept = findLastSigned(place.lastFile)
    // The file may be lost, or older than the checkpoints.
    const newest = findNewest(place.folder, place.origin, readKeys(place.folder))
    this.#newest = newest === null ? null : { size: newest.size, note: newest.note }
    const isOlder = newest !== null && newest.size > (kept?.size ?? -1)
    this.#last = isOlder ? { size: newest.size, root: newest.root, at: Date.now(), refused: null } : kept
  }

  /** id of the reality whose log it signs */
  get reality(): string {
    return realityOf(this.#place.origin)
  }

  get last(): LastSigned | null {
    return this.#last
  }

  /** The checkpoint that it signed last; null before the first. */
  get newest(): { readonly size: number; readonly note: string } | null {
    return this.#newest
  }

  /** @param proof of consistency from the last tree to the next */
  sign(next: TreeHead, proof: readonly Buffer[]): SigningResult {
    const { size, root } = next
    const why = whyNotSignable(this.#last, next, proof)
    if (why !== null) return this.refuse(size, why)
    const isSame = this.#last?.size === size
    if (isSame && this.#last?.refused === null) return { status: 'same', size }
    // First what it will never sign less than, then the checkpoint.
    this.#keep({ size, root, at: isSame ? (this.#last?.at ?? Date.now()) : Date.now(), refused: null })
    if (isSame) return { status: 'same', size }
    const note = signNote(checkpointText(this.#place.origin, next), this.#keys)
    appendCheckpoint(this.#place.folder, size, note)
    this.#newest = { size, note }
    return { status: 'signed', size, note }
  }

  /** Remembers that a tree was refused, for those who ask how the signer is. */
  refuse(size: number, why: Refusal): SigningResult {
    const last = this.#last
    if (last !== null && (last.refused?.size !== size || last.refused.why !== why))
      this.#keep({ ...last, refused: { why, size, at: Date.now() } })
    return { status: 'refused', size, why, last: last?.size ?? 0 }
  }

  #keep(last: LastSigned): void {
    const { lastFile } = this.#place
    const draft = `${lastFile}.new`
    const handle = openSync(draft, 'w', 0o600)
    try {
      writeSync(handle, `${JSON.stringify({ ...last, root: last.root.toString('base64') })}\n`)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(draft, lastFile)
    this.#last = last
  }
}

/** @returns null where nothing was ever signed. @throws {Error} for a file that says something else */
export function findLastSigned(file: string): LastSigned | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return null
    throw error
  }
  try {
    const said = JSON.parse(text) as Omit<LastSigned, 'root'> & { root: string }
    const root = Buffer.from(said.root, 'base64')
    if (Number.isSafeInteger(said.size) && root.length === 32) return { ...said, root }
  } catch {
    // said below
  }
  throw new Error(
    `${file} does not say what was signed last: if the checkpoints are whole, delete it, and the newest of them counts`,
  )
}
