import { setTimeout as sleep } from 'node:timers/promises'
import { styleText } from 'node:util'
import { canonicalJson, type Json } from '@treeos/core'
import type { Failure } from './failure.ts'
import { spelled } from './program-name.ts'
import { type Spinner, startSpinner } from './spinner.ts'
import { widthOf } from './width.ts'

/** 0 done, 1 refused or failed, 2 wrong usage. */
export type ExitStatus = 0 | 1 | 2 | 3

const DRAIN_POLL_MS = 5
/** Errors of a closed pipe and of a closed terminal. */
const NOBODY_READS = new Set(['EPIPE', 'EIO'])

/**
 * A character that a terminal would obey or not show: controls except newline and tab, marks that change the
 * direction of text, tags, joiners, spaces without width and fillers.
 */
const UNSEEN =
  /[[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u{fff9}-\u{fffb}\u{2800}\u{13441}\u{13442}\u{1d159}]--[\n\t]]/v

/**
 * Emoji may hold joiners, variation selectors and tags. To make these takes 20 ms at the start of a process,
 * and few texts need them.
 */
let forEmoji: { readonly orUnseen: RegExp; readonly alone: RegExp } | null = null

/**
 * Text of the world, made safe to show: characters that control a terminal or that nobody would see are
 * escaped.
 */
export function plain(text: string): string {
  return escapeUnseen(text.toWellFormed())
}

/** In JSON such characters can only be inside strings, where an escape means the same. */
function escapeUnseen(text: string): string {
  if (!UNSEEN.test(text)) return text // looking for emoji takes a hundred times as long
  forEmoji ??= { orUnseen: new RegExp(`\\p{RGI_Emoji}|${UNSEEN.source}`, 'gv'), alone: /^\p{RGI_Emoji}$/v }
  const { orUnseen, alone } = forEmoji
  return text.replace(orUnseen, (found) => (alone.test(found) ? found : escapeUnits(found)))
}

/** One escape for each UTF-16 unit, as in JSON. */
const escapeUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')

/** The same on one line. */
export function oneLine(text: string): string {
  return plain(text)
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll('\t', ' ')
}

/** JSON on one line, with the same characters escaped. */
export function jsonLine(value: unknown): string {
  return escapeUnseen(JSON.stringify(value))
}

/** A value of the world in a text for people: strings as they are, everything else as JSON. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return ''
  return plain(typeof value === 'string' ? value : canonicalJson(value))
}

/** A value as JSON on several lines, with the same characters escaped. */
export function prettyJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value, null, 2))
}

/** A span of time in two or three digits: `12 ms`, `1.5 s`, `45 s`, `12 min`, `30 h`. */
export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(1000 * seconds)} ms`
  if (seconds < 10) return `${Math.round(10 * seconds) / 10} s`
  if (seconds < 100) return `${Math.round(seconds)} s`
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

type Style = Parameters<typeof styleText>[0]

/** Text with a colour, where stdout is a terminal and NO_COLOR does not forbid it. */
export function coloured(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return stream.isTTY ? styleText(style, text, { stream }) : text
}

/** Escapes what is left in a finished text. The colours are ours. */
const withColours = (text: string): string =>
  text
    .split(COLOUR)
    .map((part, i) => (i % 2 === 1 ? part : plain(part)))
    .join('')
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one
const COLOUR = /(\u001b\[[0-9;]*m)/

/**
 * Columns as wide as their widest cell on a terminal, where some characters take two places; the last one is
 * left ragged.
 */
export function table(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell))
  }
  const padded = (cell: string, i: number) => cell + ' '.repeat((widths[i] ?? 0) - widthOf(cell))
  return rows
    .map((row) => indent + row.map(padded).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Prints the value of a command on stdout, everything else on stderr. */
export class Output {
  readonly json: boolean
  readonly #flag: string
  #gone = false
  readonly #left = Promise.withResolvers<void>()
  #spinner: Spinner | null = null

  /** @param flag the option by which the user named an instance: advice repeats it */
  constructor(json: boolean, flag = '') {
    this.json = json
    this.#flag = flag
    // A reader that closes the pipe early (`treeos moments @echo | head -1`) is not an error.
    for (const stream of [process.stdout, process.stderr]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        if (!NOBODY_READS.has(error.code ?? '')) throw error
        if (stream !== process.stdout) return
        this.#gone = true
        this.#left.resolve()
      })
    }
  }

  /** True when stdout was closed by its reader. */
  get isGone(): boolean {
    return this.#gone
  }

  /** Resolves when stdout was closed by its reader, which shows only at the next line. */
  get readerLeft(): Promise<void> {
    return this.#left.promise
  }

  /** Prints the one value of a command. */
  value<T>(value: T, human: (value: T) => string): void {
    this.#write(this.json ? jsonLine(value) : withColours(human(value)))
  }

  /** Prints many values: as JSON lines, or as one text. */
  lines<T>(values: readonly T[], human: (values: readonly T[]) => string): void {
    if (!this.json) this.#write(withColours(human(values)))
    else for (const value of values) this.jsonLine(value)
  }

  /** Prints a table for spreadsheets, whose cells are made safe already. */
  csv(text: string): void {
    this.#write(text)
  }

  /** Prints a line of JSON, with or without --json: the pure commands print nothing else. */
  jsonLine(value: unknown): void {
    this.#write(jsonLine(value))
  }

  /** Resolves when a slow reader has caught up. */
  async drained(): Promise<void> {
    while (process.stdout.writableNeedDrain && !this.#gone) await sleep(DRAIN_POLL_MS)
  }

  /** One step of what the command is doing, on stderr. */
  progress(line: string): void {
    const text = plain(spelled(line, this.#flag))
    if (this.#spinner === null) process.stderr.write(`${text}\n`)
    else this.#spinner.step(text)
  }

  /** Text on stderr that goes on where the last one ended. */
  aside(text: string): void {
    process.stderr.write(plain(text))
  }

  /** A line of JSON on stderr, beside the one value of a command. */
  jsonToStderr(value: unknown): void {
    process.stderr.write(`${jsonLine(value)}\n`)
  }

  /**
   * Shows the latest step with a spinner until `work` is over. Without a terminal, steps are plain lines all
   * the same.
   */
  async spinning<T>(work: () => Promise<T>): Promise<T> {
    if (process.stderr.isTTY) this.#spinner = await startSpinner()
    try {
      return await work()
    } finally {
      this.#spinner?.stop()
      this.#spinner = null
    }
  }

  failure(failed: Failure): void {
    const failure = { ...failed, message: spelled(failed.message, this.#flag) }
    if (this.json) this.jsonLine({ error: failure })
    else
      process.stderr.write(
        `${coloured(['red', 'bold'], `error ${failure.code}:`, process.stderr)} ${plain(failure.message)}\n`,
      )
  }

  #write(text: string): void {
    if (!this.#gone && text !== '') process.stdout.write(`${text}\n`)
  }
}
