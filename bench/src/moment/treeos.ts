import { migrate, openDatabase } from '@treeos/chain'
import type { JsonObject } from '@treeos/core'
import {
  createModel,
  enterWorkflowsQuickly,
  modelEndpoint,
  skipWorkflowStackTraces,
  treeos,
} from '@treeos/host'
import { taskQueueOf } from '@treeos/protocol'
import { bootstrapReality, setStandardBudgets } from '@treeos/reality'
import { buildRegistry, seed } from '@treeos/world'
import { bear, type Newborn } from '../births.ts'
import type { Contestant } from './contestant.ts'
import { diary } from './diary.ts'
import type { Setup } from './protocol.ts'
import { runWorker } from './worker.ts'

/** More than the benchmark can use. */
const TOKENS_A_DAY = 1_000_000_000_000

/** TreeOS as the worker app runs it. One worker runs LLM and scripted beings; the first word of a name says which. */
export async function startTreeos(
  setup: Setup,
  done: (being: string, n: number) => void,
  fail: (error: Error) => void,
): Promise<Contestant> {
  skipWorkflowStackTraces()
  if (process.env.TREEOS_QUICK_ENTRY !== '0') enterWorkflowsQuickly()
  const owner = openDatabase(setup.databaseUrl, { asOwner: true, poolMax: 2 })
  await migrate(owner)
  const registry = buildRegistry([seed, diary])
  const { reality } = await bootstrapReality(owner, registry, { name: setup.reality, timeZone: 'UTC' })
  // Every call of a model is paid from a budget, as in any reality. Only the pace and the size of it do not bound.
  await setStandardBudgets({ db: owner, reality }, { llm: { tokens: TOKENS_A_DAY }, scripted: {} })
  await bear({ db: owner, reality }, setup.beings.map(newborn))
  await owner.destroy()
  const taskQueue = taskQueueOf(reality.name)
  const model = createModel(modelEndpoint({ model: 'stub', baseUrl: setup.modelUrl, apiKey: null }), {
    timeoutSeconds: 30,
  })
  const worker = await runWorker(setup.temporal, {
    taskQueue,
    plugins: [
      treeos({
        extensions: [diary],
        databaseUrl: setup.databaseUrl,
        model,
        poolMax: setup.poolMax,
        observe: { error: (where, error) => console.error(where, error) },
      }),
    ],
    interceptors: {
      activity: [
        ({ info }) => ({
          inbound: {
            async execute(input, next) {
              const output = (await next(input)) as { value: { kind?: string; reason?: string | null } }
              const { being, n } = input.args[0] as { being: string; n: number }
              const isEnd = info.activityType === 'stampMoment' || info.activityType === 'finishMoment'
              if (isEnd && output.value.kind !== undefined && setup.beings.includes(being)) {
                const { kind, reason } = output.value
                if (kind === 'act') done(being, n)
                else fail(new Error(`moment ${n} of ${being} ended as ${kind}: ${reason}`))
              }
              return output
            },
          },
        }),
      ],
    },
  })
  return { taskQueue, stop: () => worker.stop() }
}

function newborn(name: string): Newborn {
  const kind = name.slice(0, name.indexOf('-'))
  const cognition: JsonObject = kind === 'scripted' ? { kind, script: 'diary:write' } : { kind }
  return { name, cognition, roleFlow: diary.clauses as never }
}
