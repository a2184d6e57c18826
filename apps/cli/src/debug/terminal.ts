import { emitKeypressEvents } from 'node:readline'
import type { Key } from './steps.ts'

const ENTER = '\u001b[?1049h\u001b[?25l' // another screen, without a cursor
const LEAVE = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const TO_END_OF_LINE = '\u001b[K'

/** A whole terminal: keys in, frames out. What was on it before comes back when it is closed. */
export class Terminal {
  readonly #onKey: (text: string | undefined, key: Key) => void
  readonly #onResize: () => void
  readonly #leave = () => process.stdout.write(LEAVE)

  constructor(heard: { readonly key: (key: Key) => void; readonly resize: () => void }) {
    this.#onKey = (text, key) => heard.key({ ...key, sequence: key.sequence ?? text })
    this.#onResize = heard.resize
    emitKeypressEvents(process.stdin)
    process.stdin.setRawMode(true)
    process.stdin.on('keypress', this.#onKey)
    process.stdout.on('resize', this.#onResize)
    process.once('exit', this.#leave) // even when an error ends the process
    process.stdin.resume()
    process.stdout.write(ENTER)
  }

  get size(): { readonly columns: number; readonly rows: number } {
    const { columns, rows } = process.stdout
    return { columns: Math.max(20, columns || 80), rows: Math.max(4, rows || 24) }
  }

  show(lines: readonly string[]): void {
    process.stdout.write(HOME + lines.map((line) => line + TO_END_OF_LINE).join('\r\n'))
  }

  close(): void {
    process.stdin.off('keypress', this.#onKey)
    process.stdout.off('resize', this.#onResize)
    process.off('exit', this.#leave)
    process.stdin.setRawMode(false)
    process.stdin.pause()
    this.#leave()
  }
}

/** Both ends are a terminal, so that a page can be shown and turned. */
export const hasTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true
