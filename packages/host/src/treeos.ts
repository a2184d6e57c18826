import { createRequire } from 'node:module'
import { Client, type ClientOptions } from '@temporalio/client'
import { SimplePlugin } from '@temporalio/plugin'
import type { ReplayWorkerOptions, Worker, WorkerOptions } from '@temporalio/worker'
import { type Model, noopObserver, type Observer } from '@treeos/activities'
import type { Effects } from '@treeos/protocol'
import { buildRegistry, type Extension, seed } from '@treeos/world'
import { PayloadBound } from './history-bound.ts'
import { Runtime } from './runtime.ts'

export interface TreeosOptions {
  /** what the worlds of this worker can hold; each brings its own names */
  readonly extensions?: readonly Extension[]
  /** needed by a worker; a client or a replay does without */
  readonly databaseUrl?: string
  /** null: LLM beings say plainly that no mind is connected */
  readonly model?: Model | null
  /** folder in which the histories of closed runs are kept; without one Temporal's retention is all there is */
  readonly histories?: string
  /** connections of the worker's pool; default 20 */
  readonly poolMax?: number
  /** told what happens, in names and numbers */
  readonly observe?: Partial<Observer>
}

/** The module with the workflow types, for hosts that bundle their own beside ours. */
export const workflowsPath = createRequire(import.meta.url).resolve('@treeos/workflows/workflows')

/**
 * Turns any worker into a host of beings: adds the beats as activities, a converter that keeps history small, and our
 * workflows where the host names none (a host with workflows re-exports `@treeos/workflows/workflows` beside its own).
 * Give it to the worker or to its connection, never to both.
 */
export function treeos(options: TreeosOptions = {}): SimplePlugin {
  return new TreeosPlugin(options)
}

class TreeosPlugin extends SimplePlugin {
  readonly #options: TreeosOptions
  #runtime: Runtime | null = null
  #connection: WorkerOptions['connection']
  #namespace = 'default'
  #taskQueue = ''

  constructor(options: TreeosOptions) {
    super({
      name: 'treeos',
      dataConverter: (converter) => ({
        ...converter,
        payloadCodecs: [...(converter?.payloadCodecs ?? []), new PayloadBound()],
      }),
    })
    this.#options = options
  }

  override configureWorker(worker: WorkerOptions): WorkerOptions {
    const {
      databaseUrl,
      extensions = [],
      model = null,
      poolMax = 20,
      histories = null,
      observe = {},
    } = this.#options
    if (databaseUrl === undefined) throw new Error('treeos({ databaseUrl }) is needed by a worker')
    this.#runtime = new Runtime({
      databaseUrl,
      registry: buildRegistry([seed, ...extensions]),
      model,
      observe: { ...noopObserver, ...observe },
      poolMax,
      histories,
    })
    this.#connection = worker.connection
    this.#namespace = worker.namespace ?? 'default'
    this.#taskQueue = worker.taskQueue
    const bundled = worker.workflowsPath !== undefined || worker.workflowBundle !== undefined
    const runtime = this.#runtime
    const withEffects = extensions
      .map((extension) => pluginOf(extension, runtime))
      .reduce(
        (configured, plugin) => plugin.configureWorker(configured),
        withActivities(worker, runtime.activities),
      )
    return super.configureWorker(bundled ? withEffects : { ...withEffects, workflowsPath })
  }

  override configureReplayWorker(worker: ReplayWorkerOptions): ReplayWorkerOptions {
    const bundled = worker.workflowsPath !== undefined || worker.workflowBundle !== undefined
    return super.configureReplayWorker(bundled ? worker : { ...worker, workflowsPath })
  }

  override configureClient(client: ClientOptions): ClientOptions {
    return super.configureClient(client)
  }

  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    if (this.#runtime === null || this.#connection === undefined)
      throw new Error('treeos needs a worker with a connection')
    const client = new Client({ connection: this.#connection, namespace: this.#namespace })
    await this.#runtime.run(client, this.#taskQueue, () => super.runWorker(worker, next))
  }
}

/** An extension as a Temporal plugin: the activities of what its operations do outside. */
class ExtensionPlugin extends SimplePlugin {
  readonly #effects: Effects

  constructor(name: string, effects: Effects) {
    super({ name })
    this.#effects = effects
  }

  override configureWorker(worker: WorkerOptions): WorkerOptions {
    return super.configureWorker(withActivities(worker, this.#effects))
  }
}

const pluginOf = (extension: Extension, runtime: Runtime): SimplePlugin =>
  new ExtensionPlugin(`treeos-${extension.name}`, runtime.effectsOf(extension))

/** @throws {Error} when the host has an activity of one of these names: neither may win silently */
function withActivities(worker: WorkerOptions, activities: object): WorkerOptions {
  for (const name of Object.keys(activities)) {
    if (worker.activities !== undefined && name in worker.activities)
      throw new Error(`activity ${name} is registered already`)
  }
  return { ...worker, activities: { ...worker.activities, ...activities } }
}
