import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { isJsonObject, type Json, TreeosError } from '@treeos/core'

/** An answer of a model that a file keeps, one a line. */
export interface KeptAnswer {
  /** digest of the call */
  readonly call: string
  readonly model: string
  readonly answer: Json
  readonly seconds: number
}

/** Answers of models in a file: a trial that is run again asks only for those that it has not. */
export class KeptAnswers {
  /** nothing is asked: an answer that the file has not is an error */
  readonly isOnly: boolean
  readonly #known: Map<string, KeptAnswer>
  readonly #handle: number | null

  private constructor(known: Map<string, KeptAnswer>, handle: number | null) {
    this.#known = known
    this.#handle = handle
    this.isOnly = handle === null
  }

  /** @throws {TreeosError} INVALID_INPUT naming the file and the line */
  static open(file: string, isOnly: boolean): KeptAnswers {
    const known = new Map<string, KeptAnswer>()
    if (isOnly || existsSync(file))
      for (const [i, line] of readLines(file).entries()) {
        const answer = answerIn(line)
        if (answer === null)
          throw new TreeosError('INVALID_INPUT', `${file}:${i + 1}: this line is not a kept answer`)
        known.set(answer.call, answer)
      }
    return new KeptAnswers(known, isOnly ? null : opened(file))
  }

  find(call: string): KeptAnswer | undefined {
    return this.#known.get(call)
  }

  keep(answer: KeptAnswer): void {
    this.#known.set(answer.call, answer)
    if (this.#handle !== null) writeSync(this.#handle, `${JSON.stringify(answer)}\n`)
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle)
  }
}

/** How each line begins. */
const BEGINNING = '{"call":"'

function readLines(file: string): string[] {
  const text = readKeptText(file)
  const end = text.lastIndexOf('\n') + 1
  const cut = text.slice(end)
  // A run that was killed may have left the beginning of a line behind. Any other text is of a file that is
  // not ours, and stays.
  if (!cut.startsWith(BEGINNING) && !BEGINNING.startsWith(cut))
    throw new TreeosError('INVALID_INPUT', `${file} is not a file of kept answers`)
  return text.slice(0, end).split('\n').slice(0, -1)
}

function readKeptText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new TreeosError('INVALID_INPUT', `${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function opened(file: string): number {
  try {
    if (existsSync(file)) {
      const bytes = readFileSync(file)
      truncateSync(file, bytes.lastIndexOf('\n') + 1)
    }
    return openSync(file, 'a', 0o600)
  } catch (error) {
    throw new TreeosError(
      'INVALID_INPUT',
      `${file} cannot be written: ${(error as NodeJS.ErrnoException).code}`,
    )
  }
}

function answerIn(line: string): KeptAnswer | null {
  if (line === '') return null
  try {
    const value = JSON.parse(line) as Json
    if (!isJsonObject(value)) return null
    const { call, model, answer, seconds } = value
    if (typeof call !== 'string' || typeof model !== 'string' || typeof seconds !== 'number') return null
    return isJsonObject(answer) ? { call, model, answer, seconds } : null
  } catch {
    return null
  }
}
