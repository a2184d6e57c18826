import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Checkpoint, openCheckpoint } from '../tree/checkpoint.ts'
import { NoteError, readVerifier, type Verifier, verifierKeyOf } from '../tree/note.ts'

// A folder of checkpoints: files of notes, to which notes are appended, and `keys`, the verifier keys of
// those who signed them. A file of notes is named after the smallest size that it may hold, and each of its
// notes is followed by an empty line. Files `.cosigned` hold some of these notes again, with the signatures
// of witnesses below that of the log.

const SIZES_PER_FILE = 65_536
const KINDS = { notes: /^\d{16}\.notes$/, cosigned: /^\d{16}\.cosigned$/ } as const
type Kind = keyof typeof KINDS
const KEYS = 'keys'

/** A note in a folder of checkpoints that is not a checkpoint of this log. */
export interface CheckpointFault {
  readonly file: string
  /** from 1 */
  readonly note: number
  readonly why: string
}

export interface CheckpointFiles {
  /** in the order in which they were written */
  readonly checkpoints: readonly Checkpoint[]
  readonly faults: readonly CheckpointFault[]
}

/** @throws the error of a folder or file that cannot be read */
export function readCheckpointFiles(
  folder: string,
  origin: string,
  verifiers: readonly Verifier[],
  kind: Kind = 'notes',
): CheckpointFiles {
  const checkpoints: Checkpoint[] = []
  const faults: CheckpointFault[] = []
  for (const name of listFiles(folder, kind)) {
    const file = join(folder, name)
    for (const [i, note] of notesIn(readFileSync(file, 'utf8')).entries())
      try {
        checkpoints.push(openCheckpoint(note, origin, verifiers))
      } catch (error) {
        if (!(error instanceof NoteError)) throw error
        faults.push({ file, note: i + 1, why: error.message })
      }
  }
  return { checkpoints, faults }
}

/** The newest checkpoint of a folder that the verifiers signed; null where there is none. */
export const findNewest = (
  folder: string,
  origin: string,
  verifiers: readonly Verifier[],
): Checkpoint | null => firstItem(newestFirst(folder, origin, verifiers, 'notes'))

/** The newest one that witnesses cosigned. @param isEnough judges the note; left out: any of them will do */
export function findCosigned(
  folder: string,
  origin: string,
  verifiers: readonly Verifier[],
  isEnough: (note: string) => boolean = () => true,
): Checkpoint | null {
  for (const one of newestFirst(folder, origin, verifiers, 'cosigned')) if (isEnough(one.note)) return one
  return null
}

const firstItem = <T>(all: Iterable<T>): T | null => {
  for (const one of all) return one
  return null
}

function* newestFirst(
  folder: string,
  origin: string,
  verifiers: readonly Verifier[],
  kind: Kind,
): Generator<Checkpoint> {
  for (const name of listFiles(folder, kind).reverse())
    for (const note of notesIn(readFileSync(join(folder, name), 'utf8')).reverse()) {
      const one = openOrNull(note, origin, verifiers)
      if (one !== null) yield one
    }
}

function openOrNull(note: string, origin: string, verifiers: readonly Verifier[]): Checkpoint | null {
  try {
    return openCheckpoint(note, origin, verifiers)
  } catch (error) {
    if (error instanceof NoteError) return null
    throw error
  }
}

/** Adds a note, and returns when it is on the disk. */
export const appendCheckpoint = (folder: string, size: number, note: string): void =>
  appendNote(folder, size, note, 'notes')

/** The same for a checkpoint with the signatures of witnesses. */
export const appendCosigned = (folder: string, size: number, note: string): void =>
  appendNote(folder, size, note, 'cosigned')

function appendNote(folder: string, size: number, note: string, kind: Kind): void {
  const first = Math.floor(size / SIZES_PER_FILE) * SIZES_PER_FILE
  const file = join(folder, `${String(first).padStart(16, '0')}.${kind}`)
  // A crash may have left part of a note at the end.
  const isTorn = existsSync(file) && !readFileSync(file, 'utf8').endsWith('\n\n')
  append(file, `${isTorn ? '\n\n' : ''}${note}\n`)
}

/**
 * The keys that the folder names. Who holds the folder can change them: whoever checks it should have them
 * from elsewhere.
 */
export function readKeys(folder: string): Verifier[] {
  return checkpointLines(join(folder, KEYS)).map(readVerifier)
}

export function addKeys(folder: string, verifiers: readonly Verifier[]): void {
  mkdirSync(folder, { recursive: true })
  const known = new Set(checkpointLines(join(folder, KEYS)))
  for (const key of verifiers.map(verifierKeyOf)) if (!known.has(key)) append(join(folder, KEYS), `${key}\n`)
}

function listFiles(folder: string, kind: Kind): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => KINDS[kind].test(name))
      .sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** A text that a crash left without its signatures runs into the next note, and is cut off from it. */
function notesIn(text: string): string[] {
  const parts = text.split(/\n\n+/)
  return parts.flatMap((part, i) => (part.startsWith('— ') ? [`${parts[i - 1] ?? ''}\n\n${part}\n`] : []))
}

function checkpointLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === 'ENOENT'

function append(file: string, text: string): void {
  const handle = openSync(file, 'a')
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
