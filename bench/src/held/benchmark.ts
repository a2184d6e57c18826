import { fileURLToPath } from 'node:url'
import { Client, Connection } from '@temporalio/client'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker'
import { describeMachine } from '../machine.ts'
import { cpuOf, memory } from '../processes.ts'
import { type Services, withServices } from '../services.ts'
import { round } from '../statistics.ts'

export interface HeldOptions {
  readonly size: 'small' | 'full'
  /** most runs that are held */
  readonly beings: number | undefined
  /** workers of the SDK in this process, each with a connection of its own */
  readonly workers: number
  readonly onProgress: (line: string) => void
}

export interface HeldActivities {
  woken(name: string): Promise<void>
}

const FEW = 200
const MANY = { small: 2000, full: 10_000 } as const
/** Runs that are woken, each when its last wake is over. */
const AWAKE = 20
const WAKES = 50
const STARTING = 50
const TASK_QUEUE = 'held'

/**
 * What a wake costs a worker of the bare SDK by the number of other runs that it holds, which all rest. The
 * work of a wake is the same, so the difference is what the SDK pays for what it holds. See bench/upstream.
 */
export function benchHeld({ size, beings, workers, onProgress }: HeldOptions) {
  const many = beings ?? MANY[size]
  return withServices(onProgress, async (services) => {
    const ended = new Map<string, () => void>()
    const activities: HeldActivities = { woken: async (name) => ended.get(name)?.() }
    await startWorkers(services, { workers, maxCachedWorkflows: 2 * many, activities })
    const connection = await Connection.connect(services.temporal.options)
    services.atEnd(() => connection.close())
    const { workflow } = new Client({ connection, namespace: services.temporal.namespace })
    const held = []
    let started = 0
    for (const count of [FEW, many]) {
      onProgress(`${count} runs rest`)
      await Promise.all(
        Array.from({ length: STARTING }, async () => {
          while (started < count) {
            const workflowId = `rests-${started++}`
            await workflow.start('waits', { taskQueue: TASK_QUEUE, workflowId, args: [workflowId] })
            await wakeOnce(workflowId)
          }
        }),
      )
      await wakeSome(AWAKE)
      const before = cpuOf(process.pid)
      await wakeSome(WAKES)
      const cpuMs = round((cpuOf(process.pid) - before) / (AWAKE * WAKES))
      held.push({ runs: count, cpuMs, memoryMiB: memory(process.pid) })
      onProgress(JSON.stringify(held.at(-1)))
    }
    return { benchmark: 'held', machine: describeMachine(), workers, held }

    async function wakeOnce(name: string): Promise<void> {
      const over = new Promise<void>((resolve) => ended.set(name, resolve))
      await workflow.getHandle(name).signal('wake')
      await over
    }

    async function wakeSome(times: number): Promise<void> {
      await Promise.all(
        Array.from({ length: AWAKE }, async (_, i) => {
          for (let n = 0; n < times; n++) await wakeOnce(`rests-${i}`)
        }),
      )
    }
  })
}

async function startWorkers(
  services: Services,
  {
    workers,
    ...options
  }: { readonly workers: number } & Pick<WorkerOptions, 'maxCachedWorkflows' | 'activities'>,
): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('./waits.workflow.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  })
  const { namespace } = services.temporal
  for (let n = 0; n < workers; n++) {
    const connection = await NativeConnection.connect(services.temporal.options)
    const worker = await Worker.create({
      ...options,
      workflowBundle,
      connection,
      namespace,
      taskQueue: TASK_QUEUE,
    })
    const done = worker.run()
    services.atEnd(async () => {
      worker.shutdown()
      await done
      await connection.close()
    })
  }
}
