/** The second verifier, in Python, as a process that answers one question after the other. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Json } from '@treeos/core'

const PACKAGE = join(import.meta.dirname, '../../clients/python-verify')

/** Why there is no second verifier on this machine; null when there is one. */
export function whyNoPython(): string | null {
  const asked = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'])
  return asked.status === 0 ? null : 'python3 3.11 or newer is not installed'
}

export interface Question {
  /** one of these: the bytes of a bundle, the text of a receipt, or a note with what a portal answers */
  readonly bundle?: Buffer
  readonly receipt?: string
  readonly checkpoint?: string
  readonly newer?: string
  readonly key: string | null
  readonly strict?: boolean
  /** of a bundle: it also says what it could not judge, and what contradicts */
  readonly why?: true
}

export interface Opinion {
  readonly status?: 'ok' | 'unproven' | 'broken'
  /** of a receipt; null where none is derived */
  readonly verdict?: string | null
  /** of a bundle; null for one that is broken */
  readonly found?: Json
  /** of a bundle, with `why`: by class, how many calls were not judged */
  readonly unjudged?: Readonly<Record<string, number>>
  /** of a bundle, with `why`: the first thing that contradicts */
  readonly broken?: readonly {
    readonly reel: string
    readonly seq: number
    readonly reason: string
    readonly what: string
  }[]
  /** of checkpoints */
  readonly ok?: boolean
}

export class SecondVerifier {
  readonly #process: ChildProcess
  readonly #waiting: ((line: string) => void)[] = []
  #faults = ''

  constructor() {
    this.#process = spawn('python3', ['-m', 'treeos_verify.answers'], {
      cwd: PACKAGE,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#process.stderr!.on('data', (text) => {
      this.#faults += text
    })
    createInterface({ input: this.#process.stdout! }).on('line', (line) => this.#waiting.shift()?.(line))
    this.#process.on('exit', () => {
      for (const answer of this.#waiting.splice(0)) answer('')
    })
  }

  async ask({ bundle, ...question }: Question): Promise<Opinion> {
    const asked = bundle === undefined ? question : { ...question, bundle: bundle.toString('base64') }
    const answer = new Promise<string>((resolve) => this.#waiting.push(resolve))
    this.#process.stdin!.write(`${JSON.stringify(asked)}\n`)
    const line = await answer
    if (line === '') throw new Error(`the second verifier ended: ${this.#faults}`)
    return JSON.parse(line)
  }

  close(): void {
    this.#process.stdin!.end()
  }
}
