import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { WorkerProcess } from '../faults/worker-process.ts'
import type { World } from './world.ts'

/** Starts workers as separate processes, as users run them, on the services of the run. */
export interface Processes {
  /** their folder */
  readonly home: string
  start(world: World, env?: NodeJS.ProcessEnv): WorkerProcess
  /** kills those that still live */
  close(): Promise<void>
}

export async function prepareProcesses(): Promise<Processes> {
  const home = await mkdtemp(join(tmpdir(), 'treeos-test-workers-'))
  const started: WorkerProcess[] = []
  const { OPENAI_API_KEY: _, ...inherited } = process.env
  return {
    home,
    start(world, env = {}) {
      const worker = new WorkerProcess(join(home, 'worker.log'), {
        ...inherited,
        TZ: 'UTC',
        TREEOS_LOG: 'warn',
        NODE_COMPILE_CACHE: inject('compiledFolder'),
        DATABASE_URL: world.url,
        ...inject('temporalEnv'),
        TREEOS_WORKFLOW_BUNDLE: inject('bundlePath'),
        ...env,
      })
      started.push(worker)
      return worker
    },
    async close() {
      for (const worker of started) worker.kill()
      await Promise.all(started.map(({ ended }) => ended))
      await rm(home, { recursive: true, force: true })
    },
  }
}
