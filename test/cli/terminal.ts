import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { type CliInstance, MAIN, until } from './instance.ts'

/**
 * A terminal has the colours that its test asks for, also where the tests run without any. Node shows none
 * where CI is set.
 */
const COLOURS = { NO_COLOR: undefined, NODE_DISABLE_COLORS: undefined, FORCE_COLOR: undefined, CI: undefined }

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A command on a real terminal, as `script` of Debian makes one. */
export class TerminalRun {
  readonly #child: ChildProcess
  readonly #folder = mkdtempSync(join(tmpdir(), 'treeos-terminal-'))
  /** all that came out */
  raw = ''

  constructor(
    home: CliInstance,
    args: readonly string[],
    { columns = 80, rows = 24, env = {} as NodeJS.ProcessEnv } = {},
  ) {
    const command = [process.execPath, MAIN, ...args].map(quoted).join(' ')
    const inside = `tty > ${quoted(this.#tty)}; stty cols ${columns} rows ${rows}; exec ${command}`
    this.#child = spawn('script', ['-qec', inside, '/dev/null'], {
      env: { ...home.environment, ...COLOURS, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (text) => (this.raw += text))
  }

  get #tty(): string {
    return join(this.#folder, 'tty')
  }

  press(keys: string): void {
    this.#child.stdin?.write(keys)
  }

  resize(columns: number, rows: number): void {
    const tty = readFileSync(this.#tty, 'utf8').trim()
    execFileSync('stty', ['-F', tty, 'cols', String(columns), 'rows', String(rows)])
  }

  /** What the terminal shows: the lines of the last frame. */
  get screen(): string[] {
    const frame = this.raw.split('\u001b[H').at(-1) ?? ''
    return stripVTControlCharacters(frame).split('\r\n')
  }

  shows(text: string, what = text): Promise<void> {
    const isShown = () =>
      this.screen.some((line) => line.includes(text)) || this.screen.join('').includes(text)
    return until(`${what} on the screen`, isShown, 20).catch((error: Error) => {
      throw new Error(`${error.message}:\n${this.screen.join('\n')}`)
    })
  }

  /** The exit status. */
  async ended(): Promise<number | null> {
    const [status] = this.#child.exitCode === null ? await once(this.#child, 'exit') : [this.#child.exitCode]
    rmSync(this.#folder, { recursive: true })
    return status
  }
}
