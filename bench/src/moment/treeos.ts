import type { JsonObject } from '@treeos/core'
import { taskQueueOf } from '@treeos/core'
import { createModel, modelEndpoint, skipWorkflowStackTraces, treeos, tunerOf } from '@treeos/host'
import { bootstrapReality, setStandardBudgets } from '@treeos/reality'
import { migrate, openDatabase } from '@treeos/store'
import { buildRegistry, seed } from '@treeos/world'
import { bear, type Newborn } from '../births.ts'
import type { Contestant } from './contestant.ts'
import { diary } from './diary.ts'
import { reportingEnds } from './ends.ts'
import type { Setup } from './protocol.ts'
import { runWorker, TASKS_MAX } from './worker.ts'

/** More than the benchmark can use. */
const TOKENS_A_DAY = 1_000_000_000_000

/**
 * TreeOS as the worker app runs it. One worker runs LLM and scripted beings; the first word of a name says
 * which.
 */
export async function startTreeos(
  setup: Setup,
  done: (being: string, n: number) => void,
  fail: (error: Error) => void,
): Promise<Contestant> {
  skipWorkflowStackTraces()
  await plantDiaries(setup.databaseUrl, setup.reality, setup.beings)
  const taskQueue = taskQueueOf(setup.reality)
  const model = createModel(modelEndpoint({ model: 'stub', baseUrl: setup.modelUrl, apiKey: null }), {
    timeoutSeconds: 30,
  })
  const worker = await runWorker(setup.temporal, {
    taskQueue,
    tuner: tunerOf(TASKS_MAX),
    plugins: [
      treeos({
        extensions: [diary],
        databaseUrl: setup.workerUrl,
        model,
        poolMax: setup.poolMax,
        observe: {
          error: (where, error) => console.error(where, error),
          ...reportingEnds((being) => setup.beings.includes(being), done, fail),
        },
      }),
    ],
  })
  return { taskQueue, stop: () => worker.stop() }
}

/** Makes a reality in an empty database, with beings that keep diaries. */
export async function plantDiaries(
  databaseUrl: string,
  name: string,
  beings: readonly string[],
): Promise<void> {
  const owner = openDatabase(databaseUrl, { asOwner: true, poolMax: 2 })
  await migrate(owner)
  const { reality } = await bootstrapReality(owner, buildRegistry([seed, diary]), { name, timeZone: 'UTC' })
  // Every call of a model is paid from a budget, as in any reality. Only the pace and the size of it do not
  // bound.
  await setStandardBudgets({ db: owner, reality }, { llm: { tokens: TOKENS_A_DAY }, scripted: {} })
  await bear({ db: owner, reality }, beings.map(newborn))
  await owner.destroy()
}

function newborn(name: string): Newborn {
  const kind = name.slice(0, name.indexOf('-'))
  const cognition: JsonObject = kind === 'scripted' ? { kind, script: 'diary:write' } : { kind }
  return { name, cognition, roleFlow: diary.clauses as never }
}
