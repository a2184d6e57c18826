import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Up to which entry of the journal of a reality traces have gone out. */
export interface Position {
  readonly entry: number
  keep(entry: number): void
}

/**
 * A position in a file.
 * @param start where there is no file yet
 * @throws {Error} for a file that holds no position, or that of another reality
 */
export function positionIn(file: string, reality: string, start: number): Position {
  let entry = existsSync(file) ? readPosition(file, reality) : start
  return {
    get entry() {
      return entry
    },
    keep(next) {
      entry = next
      // A reader sees the old one or the new one.
      writeFileSync(`${file}.new`, `${JSON.stringify({ reality, entry })}\n`)
      renameSync(`${file}.new`, file)
    },
  }
}

function readPosition(file: string, reality: string): number {
  const found = parsedPosition(readFileSync(file, 'utf8'))
  if (found === null) throw new Error(`${file} holds no position of traces: delete it to begin anew`)
  if (found.reality !== reality)
    throw new Error(`${file} holds the position of another reality, ${found.reality}: name another file`)
  return found.entry
}

function parsedPosition(text: string): { readonly reality: string; readonly entry: number } | null {
  try {
    const { reality, entry } = JSON.parse(text)
    return typeof reality === 'string' && Number.isSafeInteger(entry) && entry >= 0
      ? { reality, entry }
      : null
  } catch {
    return null
  }
}
