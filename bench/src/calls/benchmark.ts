import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeMachine } from '../machine.ts'
import { Instance } from '../minds/instance.ts'
import { median, round } from '../statistics.ts'
import { installed } from './installed.ts'

export interface CallsOptions {
  readonly size: 'small' | 'full'
  readonly rounds: number | undefined
  readonly onProgress: (line: string) => void
}

const ROUNDS = { small: 3, full: 21 } as const
/** Calls of a person who looks, without and with services. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  version: ['--version'],
  inbox: ['inbox', '--json'],
  see: ['see', '@operator', '--json'],
  moments: ['moments', '@operator', '--json'],
  beings: ['beings', '--json'],
}

/**
 * How long a command of the command line takes as users install it, and from the sources of a checkout,
 * beside the start of Node alone.
 */
export async function benchCalls({ size, rounds = ROUNDS[size], onProgress }: CallsOptions) {
  const instance = new Instance({})
  const folder = mkdtempSync(join(tmpdir(), 'treeos-bench-'))
  try {
    onProgress('building the packages')
    const treeos = installed(folder)
    await instance.must(['up', '--detach', '--no-portal'])
    await instance.must(['space', 'create', '/hall'])
    const calls = Object.entries(CALLS)
    const runs: Record<string, () => Promise<unknown>> = {
      node: async () => execFileSync(process.execPath, ['-e', '0']),
      ...Object.fromEntries(calls.map(([name, args]) => [name, () => instance.must(args, treeos)])),
      ...Object.fromEntries(
        calls.map(([name, args]) => [`${name}, from sources`, () => instance.must(args)]),
      ),
    }
    const took = new Map(Object.keys(runs).map((name) => [name, [] as number[]]))
    for (let i = 0; i <= rounds; i++)
      for (const [name, run] of Object.entries(runs)) {
        const began = performance.now()
        await run()
        // the first call fills the cache of compiled code
        if (i > 0) took.get(name)!.push((performance.now() - began) / 1000)
      }
    const seconds = Object.fromEntries([...took].map(([name, each]) => [name, round(median(each))]))
    onProgress(JSON.stringify(seconds))
    return {
      benchmark: 'calls',
      at: new Date().toISOString(),
      machine: describeMachine(),
      parameters: { size, rounds },
      seconds,
    }
  } finally {
    await instance.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}
