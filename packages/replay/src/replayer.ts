import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import {
  type InjectedSinks,
  type ReplayResult,
  Worker,
  type WorkerPlugin,
  type WorkflowBundleOption,
} from '@temporalio/worker'
import { type Json, timerMs } from '@treeos/core'
import { treeos, workflowBundle } from '@treeos/host'
import { digestOf } from '@treeos/store'
import type { StrictSinks } from '@treeos/workflows/strict'
import { payloadText, type RecordedCommand, type WorkflowRun } from './temporal-history.ts'

/** A command that a workflow issued in a replay, in the form of a recorded one. */
export interface ReplayedCommand extends RecordedCommand {
  /** number of the timer within the run */
  readonly timer?: string
  isCancelled?: boolean
}

interface ReplayedRun {
  /** commands that the workflow issued */
  readonly seen: readonly ReplayedCommand[]
  /** what stopped the replay; null when it came to the end of the history */
  readonly error: string | null
}

/**
 * The longest run of a being has some thousand events, which replay within a second. The first replay also
 * starts a thread.
 */
const REPLAY_SECONDS_MAX = 60

/**
 * Replays runs in Temporal with the strict recorder. It uses one worker for all runs: starting a worker takes
 * longer than replaying most beings. The workflows run in a thread, so that the caller can do other work
 * meanwhile.
 */
export class HistoryReplayer {
  readonly #bundle: WorkflowBundleOption
  readonly #secondsMax: number
  #worker: ReplayWorker
  /** resolves when the run before has been replayed */
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(bundle: WorkflowBundleOption, secondsMax: number) {
    this.#bundle = bundle
    this.#secondsMax = secondsMax
    this.#worker = new ReplayWorker(bundle)
  }

  /**
   * @param bundle from {@link bundleForReplay}
   * @param secondsMax after which a replay is stuck
   */
  static async open(
    bundle?: WorkflowBundleOption,
    { secondsMax = REPLAY_SECONDS_MAX } = {},
  ): Promise<HistoryReplayer> {
    return new HistoryReplayer(bundle ?? (await bundleForReplay()), secondsMax)
  }

  /** Replays one run. Runs are replayed one at a time, in the order of the calls. */
  replay(run: WorkflowRun): Promise<ReplayedRun> {
    const replayed = this.#turn.then(() => this.#replay(run))
    this.#turn = replayed.catch(() => undefined)
    return replayed
  }

  /**
   * The SDK never answers for some histories, such as one without a workflow task. Its worker is then given
   * up for a new one.
   */
  async #replay(run: WorkflowRun): Promise<ReplayedRun> {
    const worker = this.#worker
    const replayed = await inTime(worker.replay(run), this.#secondsMax)
    if (replayed !== null) return replayed
    this.#worker = new ReplayWorker(this.#bundle)
    worker.abandon()
    const { seen } = worker
    const last = seen.at(-1)
    const until =
      last === undefined
        ? 'before any command'
        : `after ${seen.length} commands, the last ${last.kind} ${last.name}`
    const stuck = `the replay is stuck ${until.trimEnd()}: Temporal's SDK did not end it within ${this.#secondsMax} s`
    return { seen, error: stuck }
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#turn
    await this.#worker.close()
  }
}

/** A replay worker of the SDK. It starts with its first run. */
class ReplayWorker {
  seen: ReplayedCommand[] = []
  #next: WorkflowRun | null = null
  #isStarted = false
  #running: Worker | null = null
  readonly #results: AsyncIterableIterator<ReplayResult>

  constructor(workflowBundle: WorkflowBundleOption) {
    const noteWorker: WorkerPlugin = {
      name: 'note-worker',
      runWorker: (worker, run) => {
        this.#running = worker
        return run(worker)
      },
    }
    // Without debugMode false, the SDK would replay in this thread, and hook every promise of it to take a
    // stack trace.
    const options = {
      workflowBundle,
      sinks: this.#sinks(),
      plugins: [treeos(), noteWorker],
      debugMode: false,
    }
    this.#results = Worker.runReplayHistories(options, this.#histories())
  }

  async replay(run: WorkflowRun): Promise<ReplayedRun> {
    this.#next = run
    this.seen = []
    const { value, done } = await (this.#isStarted ? this.#results.next() : this.#start())
    if (done === true) throw new Error('the replay worker has ended')
    return { seen: this.seen, error: value.error?.message ?? null }
  }

  /** The first call starts the thread. What the process then has set for threads is put back. */
  async #start(): Promise<IteratorResult<ReplayResult>> {
    this.#isStarted = true
    const limit = Error.stackTraceLimit
    setFlagsFromString('--stack-trace-limit=0')
    try {
      return await this.#results.next()
    } finally {
      setFlagsFromString(`--stack-trace-limit=${limit}`)
      Error.stackTraceLimit = limit
    }
  }

  /** Ends the worker in the middle of a replay, which nobody awaits any longer. */
  abandon(): void {
    this.#running?.shutdown()
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#results.return?.()
  }

  async *#histories() {
    while (this.#next !== null) {
      const run = this.#next
      this.#next = null
      yield { workflowId: run.workflowId, history: run.history }
    }
  }

  #sinks(): InjectedSinks<StrictSinks> {
    return {
      strict: {
        command: {
          callDuringReplay: true,
          fn: (_info, kind, name, values) => {
            const carries = values.map(payloadText)
            if (kind === 'timer') this.seen.push({ kind, name: '', carries, timer: name })
            else if (kind !== 'cancelled-timer')
              this.seen.push({
                kind,
                name,
                carries: kind === 'local' ? carries.map(argumentDigest) : carries,
              })
            else for (const command of this.seen) if (command.timer === name) command.isCancelled = true
          },
        },
      },
    }
  }
}

/** @returns null when the time is over first */
async function inTime<T>(work: Promise<T>, secondsMax: number): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, timerMs(secondsMax), null)
  work.catch(() => undefined) // nobody awaits it once the time is over
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const argumentDigest = (text: string): string => digestOf(JSON.parse(text) as Json)

/**
 * Bundles the workflows with the strict recorder, or takes what an earlier process made of the same files.
 */
export function bundleForReplay(): Promise<{ code: string }> {
  const strictModule = createRequire(import.meta.url).resolve('@treeos/workflows/strict')
  return workflowBundle({ interceptors: [strictModule] })
}
