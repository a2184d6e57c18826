/**
 * The list of all recorded histories, `test/histories/manifest.jsonl`. It only grows: each line carries the hash of all lines before
 * it, and {@link PINNED} is the hash of the last one. A recording is never changed. Who must give one up adds a line that retires it,
 * which names what workflows learned since: a higher BEING_VERSION, or a new patch.
 */
import { createHash } from 'node:crypto'

/** The last line. Whoever records adds lines, and sets this by hand: the recorder prints both. */
export const PINNED: Pin = {
  entries: 415,
  link: 'adda2913121e6bc2145d31f13f1d8cd4f7b786559f91f9788651ac431f6ba1f0',
}

export interface Pin {
  readonly entries: number
  /** hash of the last line and of all before it, hex */
  readonly link: string
}

/** What the workflow's code knew: BEING_VERSION, and the names that it passes to `patched`, sorted. */
export interface Code {
  readonly version: number
  readonly patches: readonly string[]
}

interface Recorded {
  /** path below the folder of histories */
  readonly file: string
  /** SHA-256 of the file, hex */
  readonly sha256: string
  /** the code that recorded it */
  readonly code: Code
}
interface Retired {
  /** number of the entry that is given up, from 1 */
  readonly retires: number
  /** what workflows learned since it was recorded */
  readonly since: { readonly version: number } | { readonly patch: string }
  readonly because: string
}
export type Entry = Recorded | Retired
type Line = Entry & { readonly link: string }

const linkOf = (before: string, entry: Entry): string =>
  createHash('sha256')
    .update(`${before}\n${JSON.stringify(entry)}`)
    .digest('hex')

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** @returns the manifest with these entries at its end */
export function appendEntries(manifest: string, entries: readonly Entry[]): string {
  const lines = linesOf(manifest)
  let link = pinOf(manifest).link
  for (const entry of entries) {
    link = linkOf(link, entry)
    lines.push(JSON.stringify({ ...entry, link }))
  }
  return lines.map((line) => `${line}\n`).join('')
}

/** What {@link PINNED} must be for a manifest. */
export function pinOf(manifest: string): Pin {
  const lines = linesOf(manifest)
  const last = lines.at(-1)
  return { entries: lines.length, link: last === undefined ? '' : (JSON.parse(last) as Line).link }
}

export interface Held {
  readonly manifest: string
  readonly pinned: Pin
  /** SHA-256 of every file below the folder of histories, by path */
  readonly files: ReadonlyMap<string, string>
  /** what the workflow's code knows now */
  readonly code: Code
  /** older texts of the manifest, such as those in commits; all that are known */
  readonly older: readonly string[]
}

/** @returns what is wrong, a sentence each; empty when every recording is there as it was recorded */
export function faultsOf({ manifest, pinned, files, code, older }: Held): string[] {
  const faults: string[] = []
  const held = new Map<string, Recorded>()
  const entries: Entry[] = []
  let link = ''
  for (const [i, text] of linesOf(manifest).entries()) {
    const { link: says, ...entry } = JSON.parse(text) as Line
    link = linkOf(link, entry)
    if (says !== link) return [`line ${i + 1} of the manifest or one before it was changed`]
    entries.push(entry)
    if ('retires' in entry) {
      const named = entries[entry.retires - 1]
      if (named === undefined || !('file' in named) || !held.delete(named.file))
        faults.push(`line ${i + 1} retires line ${entry.retires}, which is not a recording that is held`)
      else if (!isNewer(entry.since, named.code, code))
        faults.push(`line ${i + 1} retires ${named.file} without a version or a patch that is newer than it`)
      continue
    }
    if (entries.some((other) => other !== entry && 'file' in other && other.file === entry.file))
      faults.push(`${entry.file} was recorded twice`)
    if (entry.code.version > code.version)
      faults.push(`${entry.file} was recorded by version ${entry.code.version}, newer than the code`)
    held.set(entry.file, entry)
  }
  const pin = pinOf(manifest)
  if (pin.entries !== pinned.entries || pin.link !== pinned.link)
    faults.push(
      `the manifest has ${pin.entries} lines that end in ${pin.link}, and ${pinned.entries} that end in ${pinned.link} are pinned`,
    )
  for (const { file, sha256 } of held.values()) {
    if (!files.has(file)) faults.push(`${file} is missing`)
    else if (files.get(file) !== sha256) faults.push(`${file} was changed`)
  }
  for (const file of files.keys()) if (!held.has(file)) faults.push(`${file} is not in the manifest`)
  for (const before of older)
    if (!manifest.startsWith(before)) faults.push('a commit of this clone has a line that is no more')
  return faults
}

const isNewer = (since: Retired['since'], recorded: Code, code: Code): boolean =>
  'version' in since
    ? since.version > recorded.version && since.version <= code.version
    : !recorded.patches.includes(since.patch) && code.patches.includes(since.patch)
