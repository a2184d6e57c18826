import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { removeInstance } from '@treeos/local'

const MAIN = resolve(import.meta.dirname, '../../../apps/cli/src/main.ts')

/** What a command of the command line ended with. */
export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** An instance of its own that is used as its people use it: by the command line. */
export class Instance {
  readonly folder: string
  readonly #env: NodeJS.ProcessEnv

  /** @param env variables besides ours, such as those of a model */
  constructor(env: NodeJS.ProcessEnv) {
    this.folder = mkdtempSync(join(tmpdir(), 'treeos-minds-'))
    chmodSync(this.folder, 0o711) // a Postgres that runs as another user must reach it
    this.#env = { ...process.env, ...env, TREEOS_DATA: this.folder }
  }

  /** @param main the program of the command line: that of this checkout, when left out */
  async run(args: readonly string[], main = MAIN): Promise<Ran> {
    const child = spawn(process.execPath, [main, ...args], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    return { status, stdout, stderr }
  }

  /** @throws with what the command said when it does not end with 0 */
  async must(args: readonly string[], main = MAIN): Promise<string> {
    const { status, stdout, stderr } = await this.run(args, main)
    if (status !== 0) throw new Error(`treeos ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
    return stdout
  }

  /** Writes a file of the instance's folder. @returns its path */
  file(name: string, content: unknown): string {
    const path = join(this.folder, name)
    writeFileSync(path, JSON.stringify(content))
    return path
  }

  async remove(): Promise<void> {
    await removeInstance(this.folder)
  }
}
