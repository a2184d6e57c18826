import { createRequire } from 'node:module'
import type { DataConverter } from '@temporalio/common'
import { SimplePlugin } from '@temporalio/plugin'
import type {
  BundleOptions,
  ReplayWorkerOptions,
  Worker,
  WorkerOptions,
  WorkerTuner,
} from '@temporalio/worker'
import { otherEffects } from '@treeos/activities'
import { temporalClient } from '@treeos/local'
import { buildRegistry, type Extension, type Registry, seed } from '@treeos/world'
import { bundlesFolder } from './bundles-folder.ts'
import { activitiesOf, joinActivities, realitiesOf } from './by-reality.ts'
import { beingsInCache } from './cache-size.ts'
import { PayloadBound } from './history-bound.ts'
import { joinWorkflows, requireOurWorkflows } from './joined-workflows.ts'
import type { TreeosOptions } from './options.ts'
import { tellOfOtherWorkers } from './other-workers.ts'
import { type PreparedReality, type PrepareOptions, prepare } from './prepare.ts'
import { Runtime } from './runtime.ts'

/** Path of the module with TreeOS' workflow types. */
export const workflowsPath = createRequire(import.meta.url).resolve('@treeos/workflows/workflows')

/**
 * A Temporal plugin that lets a worker run beings. `prepare` makes an empty database and an empty server
 * ready. It adds our activities, those by which workflows of the host act (`HostActivities`), a payload codec that refuses large values of ours, and our workflows beside
 * those of the worker, and lets the worker hold as many beings in memory as there is room for, unless it has a
 * `maxCachedWorkflows`. While the worker runs, the plugin also runs the daemons: doorbells, schedules, lapsed
 * leases, the archive. They convert payloads as the worker does. Pass it to the worker or to its connection,
 * never to both.
 *
 * The worker must have a `connection`, and its task queue must be the one that `prepare` returns, or was given.
 * A worker may have a plugin for each of several realities with one task queue. Starting it waits up to 60 s for
 * Postgres.
 * @throws {Error} when the worker is created: without `databaseUrl`, when it has an activity of one of our
 *   names, or with a workflow bundle that was made without this plugin; when it runs: on a database or a
 *   namespace that is not prepared, in one that has another reality of its name, or with another task queue
 */
export function treeos(options: TreeosOptions = {}): TreeosPlugin {
  return new TreeosPlugin(options)
}

export class TreeosPlugin extends SimplePlugin {
  readonly #options: TreeosOptions
  #runtime: Runtime | null = null
  #connection: WorkerOptions['connection']
  #namespace = 'default'
  #taskQueue = ''
  #isEnding: (() => boolean) | null = null
  /** those of its worker, which share its slots */
  #realities = 1

  constructor(options: TreeosOptions) {
    super({
      name: 'treeos',
      dataConverter: (converter) => {
        const given = oneConverter(converter, options.dataConverter)
        return { ...given, payloadCodecs: [...(given?.payloadCodecs ?? []), new PayloadBound()] }
      },
    })
    this.#options = options
  }

  /**
   * Makes ready what the worker runs on: the schema of the database and its reality, and the search
   * attributes in Temporal. Call it before the worker runs. It changes nothing that exists, so every start
   * may call it, also several at once.
   * @throws {Error} without `databaseUrl`; whatever Postgres and Temporal refuse
   */
  prepare(options: PrepareOptions): Promise<PreparedReality> {
    return prepare(this.#databaseUrl, this.#registry, options)
  }

  /** Whether its worker takes moments, for a readiness probe: it runs, Postgres was reached, and it is not ending. */
  isReady(): boolean {
    return this.#isEnding?.() === false && this.#runtime?.isReady === true
  }

  get #databaseUrl(): string {
    const { databaseUrl } = this.#options
    if (databaseUrl === undefined) throw new Error('a worker needs a databaseUrl: treeos({ databaseUrl })')
    return databaseUrl
  }

  get #registry(): Registry {
    return buildRegistry([seed, ...(this.#options.extensions ?? [])])
  }

  override configureWorker(worker: WorkerOptions): WorkerOptions {
    const { extensions = [] } = this.#options
    const runtime = new Runtime({
      ...this.#options,
      databaseUrl: this.#databaseUrl,
      registry: this.#registry,
      shortCallsMax: () => Math.floor(shortCallsMax(worker) / this.#realities),
    })
    this.#runtime = runtime
    this.#connection = worker.connection
    this.#namespace = worker.namespace ?? 'default'
    this.#taskQueue = worker.taskQueue
    const bundled = worker.workflowsPath !== undefined || worker.workflowBundle !== undefined
    requireOurWorkflows(worker)
    const withEffects = extensions
      .map((extension) => pluginOf(extension, runtime))
      .reduce(
        (configured, plugin) => plugin.configureWorker(configured),
        withAnyEffect(
          withActivities(worker, activitiesOf(runtime, { ...runtime.activities, ...runtime.hostActivities })),
          runtime,
        ),
      )
    const { maxCachedWorkflows = beingsInCache() } = worker
    return super.configureWorker({
      ...withEffects,
      ...(bundled ? {} : { workflowsPath }),
      maxCachedWorkflows,
    })
  }

  /**
   * Puts our workflows beside those of the host. Our modules are loaded once for all runs of a worker instead
   * of once for each run. That is safe because they keep no state; the SDK freezes what they export.
   */
  override configureBundler(bundle: BundleOptions): BundleOptions {
    const configured = super.configureBundler(bundle)
    const joined =
      configured.workflowsPath === workflowsPath
        ? configured
        : joinWorkflows(configured, workflowsPath, bundlesFolder())
    return { ...joined, preloadModules: [...new Set([...(configured.preloadModules ?? []), workflowsPath])] }
  }

  override configureReplayWorker(worker: ReplayWorkerOptions): ReplayWorkerOptions {
    const bundled = worker.workflowsPath !== undefined || worker.workflowBundle !== undefined
    return super.configureReplayWorker(bundled ? worker : { ...worker, workflowsPath })
  }

  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    if (this.#runtime === null || this.#connection === undefined)
      throw new Error('treeos needs a worker with a connection')
    const [connection, namespace, taskQueue] = [this.#connection, this.#namespace, this.#taskQueue]
    const { dataConverter, activities } = worker.options
    this.#realities = Math.max(1, realitiesOf(activities.get('beginLife')))
    const client = await temporalClient(connection, { namespace, dataConverter })
    let hasRun = false
    const { identity } = worker.options
    const isEnding = () => hasRun && worker.getState() !== 'RUNNING'
    this.#isEnding = isEnding
    const run = async () => {
      hasRun = true
      // loaded by now; other users of this package never need it
      const { Runtime: Sdk } = await import('@temporalio/worker')
      void tellOfOtherWorkers(client, { taskQueue, identity }, Sdk.instance().logger)
      return super.runWorker(worker, next)
    }
    try {
      await this.#runtime.run(client, { connection, namespace, taskQueue, identity, isEnding }, run)
    } finally {
      if (!hasRun) await release(worker, next)
    }
  }
}

/** @throws {Error} for two: which of them the history would be read by, nobody could tell */
function oneConverter(
  ofHost: DataConverter | undefined,
  ofPlugin: DataConverter | undefined,
): DataConverter | undefined {
  if (ofHost === undefined || ofPlugin === undefined || ofHost === ofPlugin) return ofHost ?? ofPlugin
  throw new Error(
    'there are two data converters: one of the worker or client, and one of treeos({ dataConverter }); give one alone',
  )
}

/** Defaults of the SDK, and of a tuner that names no number. */
const SLOTS = { tasks: 40, activities: 100 }

/**
 * Most model calls that workflow tasks wait for at once, and most tasks that wait for a next wake: 6 of 10
 * tasks, so that others find room beside either.
 */
function shortCallsMax({
  tuner,
  maxConcurrentWorkflowTaskExecutions: tasks = SLOTS.tasks,
  maxConcurrentLocalActivityExecutions: activities = SLOTS.activities,
}: WorkerOptions): number {
  const slots = tuner === undefined ? [tasks, activities] : slotsOf(tuner)
  return Math.floor(0.6 * Math.min(...slots))
}

function slotsOf(tuner: WorkerTuner): number[] {
  if (!('workflowTaskSlotSupplier' in tuner)) return [SLOTS.tasks]
  const { workflowTaskSlotSupplier: tasks, localActivityTaskSlotSupplier: activities } = tuner
  return [tasks, activities].map((supplier) => ('numSlots' in supplier ? supplier.numSlots : SLOTS.tasks))
}

/**
 * Ends a worker that may not run. Only one that ran and was shut down gives back its connection and its task
 * queue.
 */
async function release(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
  const ended = next(worker)
  if (worker.getState() === 'RUNNING') worker.shutdown()
  await ended.catch(() => undefined) // why it may not run is thrown already
}

/** An extension as a Temporal plugin: adds an activity for each operation with an effect. */
class ExtensionPlugin extends SimplePlugin {
  readonly #effects: ReturnType<typeof activitiesOf>

  constructor(name: string, effects: ReturnType<typeof activitiesOf>) {
    super({ name })
    this.#effects = effects
  }

  override configureWorker(worker: WorkerOptions): WorkerOptions {
    return super.configureWorker(withActivities(worker, this.#effects))
  }
}

const pluginOf = (extension: Extension, runtime: Runtime): SimplePlugin =>
  new ExtensionPlugin(`treeos-${extension.name}`, activitiesOf(runtime, runtime.effectsOf(extension)))

/** Adds activities. @throws {Error} when the worker has one of these names of its own */
function withActivities(worker: WorkerOptions, activities: ReturnType<typeof activitiesOf>): WorkerOptions {
  const known = (worker.activities ?? {}) as Readonly<Record<string, unknown>>
  const added = Object.entries(activities).map(([name, activity]) => [
    name,
    name in known ? joinActivities(name, known[name], activity) : activity,
  ])
  return { ...worker, activities: { ...known, ...Object.fromEntries(added) } }
}

/** Takes effects of extensions that are not loaded here, to leave them to workers that have them. */
const withAnyEffect = (worker: WorkerOptions, runtime: Runtime): WorkerOptions => ({
  ...worker,
  activities: { ...worker.activities, default: otherEffects(runtime, worker.activities ?? {}) },
})
