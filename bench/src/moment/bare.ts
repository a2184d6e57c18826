import { fileURLToPath } from 'node:url'
import { openAnswers } from './answers.ts'
import { askModel } from './ask.ts'
import type { Contestant } from './contestant.ts'
import type { Setup } from './protocol.ts'
import { runWorker } from './worker.ts'

/** One wake of a bare entity workflow. */
export interface Turn {
  readonly n: number
  readonly content: string
}

export interface BareActivities {
  askForAnswer(content: string): Promise<string>
  keepAnswer(being: string, n: number, answer: string): Promise<void>
}

/** Temporal without TreeOS. Plain and lean differ in their workflow only. */
export async function startBare(setup: Setup, done: (being: string, n: number) => void): Promise<Contestant> {
  const answers = await openAnswers(setup.databaseUrl, setup.poolMax)
  const activities: BareActivities = {
    askForAnswer: (content) => askModel(setup.modelUrl, content),
    async keepAnswer(being, n, answer) {
      await answers.keep(being, n, answer)
      done(being, n)
    },
  }
  const taskQueue = `bench-${setup.contestant}`
  const worker = await runWorker(setup.temporal, {
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./bare.workflow.ts', import.meta.url)),
    activities,
  })
  return {
    taskQueue,
    async stop() {
      await worker.stop()
      await answers.close()
    },
  }
}
