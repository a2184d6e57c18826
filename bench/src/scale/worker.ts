/** A worker of the scale benchmark, in a process of its own. Several live the beings of one reality. */
import { createModel, modelEndpoint, skipWorkflowStackTraces, treeos } from '@treeos/host'
import { diary } from '../moment/diary.ts'
import { reportingEnds } from '../moment/ends.ts'
import type { FromContestant, ToContestant } from '../moment/protocol.ts'
import { runWorker } from '../moment/worker.ts'

/** Settings from the parent, as JSON. */
export interface Setup {
  readonly databaseUrl: string
  readonly temporal: Record<string, string>
  readonly taskQueue: string
  readonly modelUrl: string
  readonly poolMax: number
}

process.env.TZ = 'UTC'
const setup = JSON.parse(process.argv[2] ?? '') as Setup
const tell = (message: FromContestant) => void process.send?.(message)
skipWorkflowStackTraces()
const model = createModel(modelEndpoint({ model: 'stub', baseUrl: setup.modelUrl, apiKey: null }), {
  timeoutSeconds: 30,
})
const worker = await runWorker(setup.temporal, {
  taskQueue: setup.taskQueue,
  plugins: [
    treeos({
      extensions: [diary],
      databaseUrl: setup.databaseUrl,
      model,
      poolMax: setup.poolMax,
      observe: {
        error: (where, error) => console.error(where, error),
        ...reportingEnds(
          () => true,
          (being, n) => tell({ type: 'done', being, n }),
          ({ message }) => tell({ type: 'failed', message }),
        ),
      },
    }),
  ],
})
process.on('message', async ({ type }: ToContestant) => {
  if (type !== 'stop') return
  await worker.stop()
  process.exit()
})
process.on('disconnect', () => process.exit())
tell({ type: 'ready', taskQueue: setup.taskQueue })
