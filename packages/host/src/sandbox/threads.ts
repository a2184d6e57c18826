import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type {
  Workflow,
  WorkflowCreateOptions,
  WorkflowCreator,
} from '@temporalio/worker/lib/workflow/interface.js'
import {
  type ThreadedVMWorkflowCreatorOptions,
  VMWorkflowThreadProxy,
  WorkerThreadClient,
} from '@temporalio/worker/lib/workflow/threaded-vm.js'
import type { QuickCreateOptions } from './quick-entry.ts'
import { Watch } from './watch.ts'

const PROGRAM = join(import.meta.dirname, `thread${extname(import.meta.filename)}`)
/**
 * A workflow runs away when the thread is seen in the same entry so many times in a row. Times are counted, not time, because a
 * machine that was asleep has lost time in which nothing ran.
 */
const SEEN_MAX = 5
const LOOK_MS_MAX = 60_000

type Logger = ThreadedVMWorkflowCreatorOptions['logger']

/** The workflow's thread was ended because of another workflow. Temporal gives the task to a new thread, which replays it. */
class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError'
}

class RunawayWorkflowError extends Error {
  override readonly name = 'RunawayWorkflowError'
}

/**
 * Creates workflows in threads that enter them quickly, and guards the threads. Nothing can stop a workflow that loops for ever
 * but the end of its thread. So that thread is ended, and a new one takes its place. The workflows that it held fail their
 * next task, which makes Temporal replay them in the new thread. The one that ran away is entered with the SDK's timer from then
 * on, so that it costs no thread again.
 */
export class GuardedWorkflowCreator implements WorkflowCreator {
  readonly #lanes: readonly Lane[]
  readonly #runaways: ReadonlySet<string>

  static async create(options: ThreadedVMWorkflowCreatorOptions): Promise<GuardedWorkflowCreator> {
    const runaways = new Set<string>()
    const lanes = Array.from({ length: options.threadPoolSize }, () => new Lane(options, runaways))
    await Promise.all(lanes.map((lane) => lane.thread))
    return new GuardedWorkflowCreator(lanes, runaways)
  }

  private constructor(lanes: readonly Lane[], runaways: ReadonlySet<string>) {
    this.#lanes = lanes
    this.#runaways = runaways
  }

  async createWorkflow(options: WorkflowCreateOptions): Promise<Workflow> {
    const threads = await Promise.all(this.#lanes.map((lane) => lane.thread))
    const thread = threads.reduce((least, next) => (next.load < least.load ? next : least))
    return thread.createWorkflow(options, this.#runaways.has(options.info.runId))
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.destroy()))
  }
}

/** The place of one thread. */
class Lane {
  readonly #options: ThreadedVMWorkflowCreatorOptions
  readonly #runaways: Set<string>
  readonly #look: NodeJS.Timeout
  #current: WorkflowThread
  #seen = { entry: 0, times: 0 }
  #isClosing = false
  thread: Promise<WorkflowThread>

  constructor(options: ThreadedVMWorkflowCreatorOptions, runaways: Set<string>) {
    this.#options = options
    this.#runaways = runaways
    this.#current = new WorkflowThread(options.logger, options.patchActivationCallback)
    this.thread = this.#current.start(options)
    const every = Math.min(options.isolateExecutionTimeoutMs / SEEN_MAX, LOOK_MS_MAX)
    this.#look = setInterval(() => this.#lookAt(this.#current), every)
    this.#look.unref()
  }

  #lookAt(thread: WorkflowThread): void {
    const entered = thread.watch.entered()
    const times = entered?.entry === this.#seen.entry ? this.#seen.times + 1 : 0
    this.#seen = { entry: entered?.entry ?? 0, times }
    if (entered !== null && times >= SEEN_MAX) this.#replace(thread, entered.slot)
  }

  #replace(thread: WorkflowThread, slot: number): void {
    const { logger, patchActivationCallback } = this.#options
    const { workflowId, runId, workflowType } = thread.infoOf(slot)
    this.#runaways.add(runId)
    this.#seen = { entry: 0, times: 0 }
    logger.error('a workflow ran away: its thread was ended, and the workflows in it are replayed', {
      workflowId,
      runId,
      workflowType,
    })
    if (!this.#isClosing) {
      this.#current = new WorkflowThread(logger, patchActivationCallback)
      this.thread = this.#current.start(this.#options)
      this.thread.catch(() => undefined) // whoever creates a workflow next meets the error
    }
    thread.end(runId)
  }

  /** A thread in which a workflow runs away now is ended first. */
  async destroy(): Promise<void> {
    this.#isClosing = true
    await (await this.thread).destroy()
    clearInterval(this.#look)
  }
}

class WorkflowThread {
  readonly watch = new Watch()
  readonly #worker = new Worker(PROGRAM, { workerData: { watch: this.watch.shared } })
  readonly #client: WorkerThreadClient
  readonly #workflows = new Map<number, WorkflowCreateOptions['info']>()
  #slots = 0
  /** the run that ended this thread; null while it lives */
  #endedBy: string | null = null

  constructor(logger: Logger, patches: ThreadedVMWorkflowCreatorOptions['patchActivationCallback']) {
    this.#client = new WorkerThreadClient(this.#worker, logger, patches)
  }

  async start(options: ThreadedVMWorkflowCreatorOptions): Promise<this> {
    const { workflowBundle, isolateExecutionTimeoutMs, registeredActivityNames } = options
    await this.#client.send({
      type: 'init',
      workflowBundle,
      isolateExecutionTimeoutMs,
      reuseV8Context: true,
      registeredActivityNames,
      hasPatchActivationCallback: options.patchActivationCallback !== undefined,
    })
    return this
  }

  get load(): number {
    return this.#workflows.size
  }

  infoOf(slot: number): { workflowId: string; runId: string; workflowType: string } {
    return this.#workflows.get(slot) ?? { workflowId: 'unknown', runId: 'unknown', workflowType: 'unknown' }
  }

  async createWorkflow(options: WorkflowCreateOptions, isTimed: boolean): Promise<Workflow> {
    const slot = ++this.#slots
    const { runId } = options.info
    this.#workflows.set(slot, options.info)
    const entered: QuickCreateOptions = { ...options, entering: { slot, isTimed } }
    try {
      const workflow = await this.call(runId, () => VMWorkflowThreadProxy.create(this.#client, entered))
      return new GuardedWorkflow(this, slot, runId, workflow)
    } catch (error) {
      this.#workflows.delete(slot)
      throw error
    }
  }

  /** @throws {RunawayWorkflowError | ThreadEndedError} when the thread was ended meanwhile or before */
  async call<T>(runId: string, send: () => Promise<T>): Promise<T> {
    try {
      if (this.#endedBy === null) return await send()
    } catch (error) {
      if (this.#endedBy === null) throw error
    }
    throw this.#endedBy === runId
      ? new RunawayWorkflowError(
          'the workflow did not return in time: it loops for ever or computes too long',
        )
      : new ThreadEndedError('another workflow ran away and its thread was ended: this one is replayed')
  }

  get isEnded(): boolean {
    return this.#endedBy !== null
  }

  forget(slot: number): void {
    this.#workflows.delete(slot)
  }

  end(runId: string): void {
    this.#endedBy = runId
    void this.#worker.terminate()
  }

  async destroy(): Promise<void> {
    await this.#client.destroy().catch((error: unknown) => {
      if (this.#endedBy === null) throw error
    })
  }
}

class GuardedWorkflow implements Workflow {
  readonly #thread: WorkflowThread
  readonly #slot: number
  readonly #runId: string
  readonly #workflow: Workflow

  constructor(thread: WorkflowThread, slot: number, runId: string, workflow: Workflow) {
    this.#thread = thread
    this.#slot = slot
    this.#runId = runId
    this.#workflow = workflow
  }

  activate(...activation: Parameters<Workflow['activate']>): ReturnType<Workflow['activate']> {
    return this.#thread.call(this.#runId, () => this.#workflow.activate(...activation))
  }

  /** The SDK asks for them after a failed activation too. Those of an ended thread are lost. */
  async getAndResetSinkCalls(): ReturnType<Workflow['getAndResetSinkCalls']> {
    if (this.#thread.isEnded) return []
    return this.#thread.call(this.#runId, () => this.#workflow.getAndResetSinkCalls())
  }

  async dispose(): Promise<void> {
    this.#thread.forget(this.#slot)
    if (!this.#thread.isEnded) await this.#workflow.dispose()
  }
}
