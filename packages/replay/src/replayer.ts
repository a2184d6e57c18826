import { createRequire } from 'node:module'
import {
  bundleWorkflowCode,
  type InjectedSinks,
  type ReplayResult,
  Worker,
  type WorkflowBundle,
  type WorkflowBundleOption,
} from '@temporalio/worker'
import { digestOf } from '@treeos/chain'
import type { Json } from '@treeos/core'
import { treeos, workflowsPath } from '@treeos/host'
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
 * replaying most beings.
 */
export class HistoryReplayer {
  #next: Run | null = null
  #seen: ReplayedCommand[] = []
  readonly #results: AsyncIterator<ReplayResult>

  private constructor(workflowBundle: WorkflowBundleOption) {
    const options = { workflowBundle, sinks: this.#sinks(), plugins: [treeos()] }
    this.#results = Worker.runReplayHistories(options, this.#histories())[Symbol.asyncIterator]()
  }

  /** @param bundle from {@link bundleForReplay}; making one takes seconds */
  static async open(bundle?: WorkflowBundleOption): Promise<HistoryReplayer> {
    return new HistoryReplayer(bundle ?? (await bundleForReplay()))
  }

  /**
   * Replays one run. Do not call it again before it has resolved.
   * @returns commands that the workflow issued, and the error that stopped the replay
   */
  async replay(run: Run): Promise<{ seen: readonly ReplayedCommand[]; error: string | null }> {
    this.#next = run
    this.#seen = []
    const { value, done } = await this.#results.next()
    if (done === true) throw new Error('the replay worker has ended')
    return { seen: this.#seen, error: value.error?.message ?? null }
  }

  /** Idempotent. */
  async close(): Promise<void> {
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

const argumentDigest = (text: string): string => digestOf(JSON.parse(text) as Json)

let bundling: Promise<WorkflowBundle> | null = null

/** Bundles the workflows with the strict recorder, once per process. */
export function bundleForReplay(): Promise<WorkflowBundle> {
  bundling ??= bundle().catch((error: unknown) => {
    bundling = null
    throw error
  })
  return bundling
}

function bundle(): Promise<WorkflowBundle> {
  const strictModule = createRequire(import.meta.url).resolve('@treeos/workflows/strict')
  return bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [strictModule],
    logger: { ...console, log: ignore, trace: ignore, debug: ignore, info: ignore, warn: ignore },
  })
}
const ignore = () => undefined
