/** Runs the steps of a page in one shell, whose `treeos` is an instance of the test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Step } from './page.ts'

const MAIN = resolve(import.meta.dirname, '../../apps/cli/src/main.ts')

/** Where `treeos` is run: a `CliInstance`. */
export interface Home {
  readonly environment: Readonly<Record<string, string>>
  run(
    args: readonly string[],
    options: { input: string },
  ): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>
}

export interface Ran {
  /** null when the shell ended in this step */
  readonly status: number | null
  /** stdout and stderr, as a terminal shows them */
  readonly printed: string
}

/** Commands that hold their terminal, or read what only their own process can. */
const OWN_PROCESS = 'up down worker inhabit mcp tail logs completion'

/**
 * `treeos` asks the process of the test to run the command, which spares a start of Node each. `npx` is the
 * same where it runs a program of this repository. File 3 carries requests and the ends of steps to us.
 */
const PRELUDE = `
treeos() {
  case " ${OWN_PROCESS} " in *" $1 "*) node "$TREEOS_MAIN" "$@" 3>&-; return;; esac
  local at arg status
  at=$(mktemp -d "$PAGE/request.XXXXXX")
  mkfifo "$at/status"
  printf '%s\\0' "$@" > "$at/args"
  : > "$at/stdin"
  for arg in "$@"; do if [ "$arg" = - ]; then cat > "$at/stdin"; fi; done
  case "$1 $2" in 'flow eval'|'role compose') cat > "$at/stdin";; esac
  echo "request $at" >&3
  read -r status < "$at/status"
  cat "$at/stderr" >&2
  cat "$at/stdout"
  return "$status"
}
npx() {
  case "$1" in
    treeos) shift; treeos "$@";;
    node) shift; node "$@";;
    *) echo "npx $1 is not run here" >&2; return 99;;
  esac
}
started() { for _ in $(seq 300); do [ -s "$1" ] && return; sleep 0.1; done; }
`

/** A shell for the steps of one page. */
export class PageShell {
  readonly #home: Home
  readonly #page: string
  readonly #shell: ChildProcess
  readonly #ended: Promise<unknown>
  #onStatus: (status: number) => void = () => undefined
  #count = 0

  /** @param page an empty folder for the files of this run @param cwd where the commands are run */
  constructor(home: Home, { page, cwd }: { page: string; cwd: string }) {
    this.#home = home
    this.#page = page
    this.#shell = spawn('bash', ['-s'], {
      cwd,
      env: { ...home.environment, PAGE: page, TREEOS_MAIN: MAIN, NO_COLOR: '1' },
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
      detached: true, // a group of its own, so that what it left running can be ended
    })
    this.#ended = once(this.#shell, 'exit')
    this.#shell.stdin?.write(PRELUDE)
    createInterface(this.#shell.stdio[3] as Readable).on('line', (line) => {
      const [what, value = ''] = line.split(' ')
      if (what === 'status') this.#onStatus(Number(value))
      else void this.#answer(value)
    })
  }

  /** Runs a step until it ends, or until it has begun in another terminal. */
  async run({ command, stays }: Step): Promise<Ran> {
    const file = join(this.#page, `${this.#count++}.out`)
    const { promise: status, resolve } = Promise.withResolvers<number>()
    this.#onStatus = resolve
    this.#shell.stdin?.write(
      stays
        ? `{ sleep 300 | {\n${command}\n}; } > '${file}' 2>&1 &\nstarted '${file}'\necho "status $?" >&3\n`
        : `{\n${command}\n} > '${file}' 2>&1 < /dev/null\necho "status $?" >&3\n`,
    )
    const answer = await Promise.race([status, this.#ended.then(() => null)])
    return { status: answer, printed: existsSync(file) ? readFileSync(file, 'utf8') : '' }
  }

  async close(): Promise<void> {
    try {
      process.kill(-(this.#shell.pid ?? 0), 'SIGTERM')
    } catch {
      // it has ended, and left nothing running
    }
    this.#shell.stdin?.end()
    await this.#ended
  }

  /** Runs what `treeos` in the shell was asked for. The shell waits for the status. */
  async #answer(at: string): Promise<void> {
    const args = readFileSync(join(at, 'args'), 'utf8').split('\0').slice(0, -1)
    const input = readFileSync(join(at, 'stdin'), 'utf8')
    const { status, stdout, stderr } = await this.#home.run(args, { input })
    writeFileSync(join(at, 'stdout'), stdout)
    writeFileSync(join(at, 'stderr'), stderr)
    writeFileSync(join(at, 'status'), `${status}\n`)
  }
}
