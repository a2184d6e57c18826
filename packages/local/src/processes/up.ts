import { setTimeout as sleep } from 'node:timers/promises'
import { claimInstance } from '../instance/claim.ts'
import { forgetService, readInstance, recordService } from '../instance/instance.ts'
import { serviceOf, UP } from '../instance/services.ts'
import {
  allBut,
  processKey,
  runningKeys,
  type StoppedProcess,
  stopServices,
  stopUnrecorded,
} from '../instance/stop.ts'
import { type EndReason, onEnding } from '../machine/end-signals.ts'
import { thisProcess } from '../machine/process.ts'
import type { StartOptions } from './servers.ts'
import { startEverything } from './start.ts'
import { isThere, superviseServices, untilMended } from './supervise.ts'
import { startSupervisor } from './supervisor.ts'

export interface UpOptions extends StartOptions {
  readonly detach: boolean
  /** starts the portal too */
  readonly portal: boolean
  /** shows that something lasts */
  during<T>(work: () => Promise<T>): Promise<T>
  /** everything runs, and nothing looks after it yet; a failure stops what was started */
  onStarted(): Promise<void>
  onReady(running: { readonly isNew: boolean }): Promise<void>
  /** it runs already, and something looks after it */
  onFound(): Promise<void>
}

const POLL_MS = 250

/**
 * Brings an instance up. In the foreground it stays until a signal, and then stops what it started. Detached
 * it returns when everything is ready, and leaves a supervisor behind.
 * @returns false when the folder of the instance was deleted meanwhile
 */
export async function up(options: UpOptions): Promise<boolean> {
  const { dataDir, onProgress } = options
  const held = await claimInstance(dataDir, onProgress)
  if (held === null) {
    await findUp(options)
    return true
  }
  const self = thisProcess()
  const run = {
    kept: keptBy(dataDir),
    own: processKey(self),
    record: (state: string) =>
      recordService(dataDir, { name: UP, process: self, address: '', detail: { state } }),
    async giveUp() {
      if (isThere(dataDir)) await forgetService(dataDir, UP, self)
      held.release()
    },
    ending: onEnding({ watch: true }),
  }
  await run.record('starting')
  try {
    return await runUp(options, run)
  } catch (error) {
    await stopServices(dataDir, allBut(run.kept))
    throw error
  } finally {
    run.ending.release()
    await run.giveUp()
  }
}

/** One run of `treeos up`, which holds the claim of its instance. */
interface UpRun {
  /** keys of what ran before it */
  readonly kept: ReadonlySet<string>
  /** the key of this process */
  readonly own: string
  readonly ending: ReturnType<typeof onEnding>
  record(state: string): Promise<void>
  giveUp(): Promise<void>
}

async function runUp(options: UpOptions, run: UpRun): Promise<boolean> {
  const { dataDir, programs, detach, portal, onProgress } = options
  const { kept, ending } = run
  const running = await options.during(() => Promise.race([startEverything(options, portal), ending.promise]))
  if (isEnding(running)) return interrupted(options, kept, running)
  const startedNothing =
    kept.size > 0 && [...runningKeys(dataDir)].every((key) => kept.has(key) || key === run.own)
  if (startedNothing) {
    await startSupervisor(dataDir, programs, run.giveUp) // everything runs, but nothing looks after it
    await findUp(options)
    return true
  }
  await options.onStarted()
  if (detach) await startSupervisor(dataDir, programs, run.giveUp)
  await options.onReady(running)
  if (detach) return true
  await run.record('ready')
  const supervision = superviseServices(options)
  const why = await Promise.race([ending.promise, supervision.deleted])
  await supervision.stop()
  if (isEnding(why)) await shutDown(options, kept, why)
  else await stopUnrecorded(why.filter(allBut(kept)), tellStopped(onProgress))
  return isEnding(why)
}

async function findUp({ dataDir, onProgress, onFound }: UpOptions): Promise<void> {
  await untilMended(dataDir, onProgress)
  await onFound()
}

/**
 * Keys of what runs and is not ours to stop: nothing looks after it, yet no record says that its keeper was
 * killed. What a killed `treeos up` or supervisor left behind is ours to stop.
 */
function keptBy(dataDir: string): Set<string> {
  const former = serviceOf(readInstance(dataDir), UP)
  return former === null ? runningKeys(dataDir) : new Set()
}

const isEnding = (value: unknown): value is EndReason => typeof value === 'string'

const tellStopped =
  (onProgress: (line: string) => void) =>
  ({ name, end }: StoppedProcess) =>
    onProgress(`${name} ${end}`)

async function shutDown(
  { dataDir, onProgress }: UpOptions,
  kept: ReadonlySet<string>,
  why: EndReason,
): Promise<void> {
  const reason = why === 'orphaned' ? 'the program that started this has ended' : why
  onProgress(`${reason}: stopping what was started; the data stay in ${dataDir}`)
  await stopServices(dataDir, allBut(kept), tellStopped(onProgress))
}

/** The start cannot be interrupted. So what it starts until this process ends is stopped too. */
async function interrupted(options: UpOptions, kept: ReadonlySet<string>, why: EndReason): Promise<never> {
  await shutDown(options, kept, why)
  await sleep(POLL_MS)
  await stopServices(options.dataDir, allBut(kept))
  await forgetService(options.dataDir, UP)
  process.exit(why === 'SIGINT' ? 130 : 143)
}
