import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { type InjectedSinks, type ReplayResult, Worker, type WorkflowBundleOption } from '@temporalio/worker'
import type { Json } from '@treeos/core'
import { treeos, workflowBundle } from '@treeos/host'
import { digestOf } from '@treeos/store'
import type { StrictSinks } from '@treeos/workflows/strict'
import { type RecordedCommand, type Run, textOf } from './temporal-history.ts'

/** A command that a workflow issued in a replay, in the form of a recorded one. */
export interface ReplayedCommand extends RecordedCommand {
  /** number of the timer within the run */
  readonly timer?: string
  isCancelled?: boolean
}

/**
 * Replays runs in Temporal with the strict recorder. It uses one worker for all runs: starting a worker takes longer than
 * replaying most beings. The workflows run in a thread, so that the caller can do other work meanwhile.
 */
export class HistoryReplayer {
  #next: Run | null = null
  /** resolves when the run before has been replayed */
  #turn: Promise<unknown> = Promise.resolve()
  #isStarted = false
  #seen: ReplayedCommand[] = []
  readonly #results: AsyncIterator<ReplayResult>

  private constructor(workflowBundle: WorkflowBundleOption) {
    // Otherwise the SDK would replay in this thread, and hook every promise of it to take a stack trace.
    const options = { workflowBundle, sinks: this.#sinks(), plugins: [treeos()], debugMode: false }
    this.#results = Worker.runReplayHistories(options, this.#histories())[Symbol.asyncIterator]()
  }

  /** @param bundle from {@link bundleForReplay} */
  static async open(bundle?: WorkflowBundleOption): Promise<HistoryReplayer> {
    return new HistoryReplayer(bundle ?? (await bundleForReplay()))
  }

  /**
   * Replays one run. Runs are replayed one at a time, in the order of the calls.
   * @returns commands that the workflow issued, and the error that stopped the replay
   */
  replay(run: Run): Promise<{ seen: readonly ReplayedCommand[]; error: string | null }> {
    const replayed = this.#turn.then(() => this.#replay(run))
    this.#turn = replayed.catch(() => undefined)
    return replayed
  }

  async #replay(run: Run): Promise<{ seen: readonly ReplayedCommand[]; error: string | null }> {
    this.#next = run
    this.#seen = []
    const { value, done } = await inTime(run, this.#isStarted ? this.#results.next() : this.#start())
    if (done === true) throw new Error('the replay worker has ended')
    return { seen: this.#seen, error: value.error?.message ?? null }
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

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#turn
    this.#next = null
    await this.#results.next()
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
            const carries = values.map(textOf)
            if (kind === 'timer') this.#seen.push({ kind, name: '', carries, timer: name })
            else if (kind !== 'cancelled-timer')
              this.#seen.push({
                kind,
                name,
                carries: kind === 'local' ? carries.map(argumentDigest) : carries,
              })
            else for (const command of this.#seen) if (command.timer === name) command.isCancelled = true
          },
        },
      },
    }
  }
}

/** The longest run of a being has some thousand events, which replay within a second. */
const REPLAY_SECONDS_MAX = 300

/** The SDK never answers for some histories that no server wrote. @throws {Error} naming the run */
async function inTime<T>({ workflowId, runId }: Run, replaying: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`run ${runId} of ${workflowId} does not replay within ${REPLAY_SECONDS_MAX} s`)),
    REPLAY_SECONDS_MAX * 1000,
  )
  try {
    return await Promise.race([replaying, promise])
  } finally {
    clearTimeout(timer)
  }
}

const argumentDigest = (text: string): string => digestOf(JSON.parse(text) as Json)

/** Bundles the workflows with the strict recorder, or takes what an earlier process made of the same files. */
export function bundleForReplay(): Promise<{ code: string }> {
  const strictModule = createRequire(import.meta.url).resolve('@treeos/workflows/strict')
  return workflowBundle({ interceptors: [strictModule] })
}
