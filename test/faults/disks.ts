/** Small file systems in memory, which can be filled and emptied again. Mounting them needs root. */
import { execFile } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const canMount = (): boolean => process.platform === 'linux' && process.getuid?.() === 0

export class Disk {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async mount(folder: string, mebibytes: number): Promise<Disk> {
    mkdirSync(folder, { recursive: true })
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0711`, 'tmpfs', folder])
    return new Disk(folder)
  }

  /** Leaves not one byte. @returns the bytes that it took */
  fill(): number {
    const file = openSync(this.#ballast, 'a', 0o600)
    let taken = 0
    try {
      for (let bytes = 2 ** 20; bytes >= 1; )
        try {
          taken += writeSync(file, Buffer.alloc(bytes))
        } catch (error) {
          if ((error as { code?: unknown }).code !== 'ENOSPC') throw error
          bytes = Math.floor(bytes / 2)
        }
    } finally {
      closeSync(file)
    }
    return taken
  }

  free(): void {
    rmSync(this.#ballast, { force: true })
  }

  async unmount(): Promise<void> {
    this.free()
    await run('umount', ['--lazy', this.#folder])
  }

  get #ballast(): string {
    return join(this.#folder, 'ballast')
  }
}
