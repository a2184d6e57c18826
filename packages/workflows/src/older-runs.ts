/** Runs that began by versions 1 to 4 of the code. They go on as they began until they continue as new, and their histories must replay. */
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  patched,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import { BEING_VERSION } from '@treeos/protocol/workflow'
import { localBeats } from './beats.ts'
import { hearSignals } from './hear.ts'
import {
  type BeingInput,
  beginLife,
  enqueueAct,
  HISTORY_EVENTS_MAX,
  type Life,
  REST_AGAIN_EVENTS,
  REST_EVENTS_MAX,
  REST_SILENCE_MS,
} from './life.ts'
import { runMoment } from './moment.ts'
import { NotedSignals, type OlderSignals, SettledSignals } from './older-signals.ts'
import { CountedRun, MeasuredRun, type RunLength } from './run-length.ts'
import type { SignalledAct } from './signals.ts'
import { showRest, showStatus } from './status.ts'

/** Since version 5 a run does only what results and timers say. */
export const isOlderRun = ({ version = 1 }: BeingInput) => version < 5
/** Since version 2 a run counts its events. */
const counts = ({ version = 1 }: BeingInput) => version >= 2
/** Since version 3 what a run does depends on the order of its signals, and mostly no longer on when they come. */
const settles = ({ version = 1 }: BeingInput) => version >= 3
/** Since version 4 a run ends in a task of its own, and at rest only in silence. */
const endsInSilence = ({ version = 1 }: BeingInput) => version >= 4

/** @returns the input of the next run, which has the present version; null when the being was ended */
export async function liveOlderRun(input: BeingInput): Promise<BeingInput | null> {
  const isShort = counts(input) || patched('short-way')
  const run: RunLength = counts(input) ? new CountedRun() : new MeasuredRun(isShort)
  const looks = input.life?.rests !== true // a wake may have arrived before this run
  const signals: OlderSignals = settles(input) ? new SettledSignals(run, looks) : new NotedSignals(run, looks)
  hearSignals(signals)
  const life = await beginLife(input, isShort, {
    told: () => signals.heard(),
    answered: ({ heard }) => signals.settle(heard),
  })
  let rests = false
  let restsAfter = input.historyEventsMax ?? REST_EVENTS_MAX
  while (!isFull(run, input) && !rests) {
    let bySilence = false
    // Runs of version 1 number a timer here although they do not sleep.
    if (signals.isCalm || !counts(input)) {
      bySilence = await sleepUntilSignal(life, signals, settles(input))
      run.note('task')
    }
    await enqueueActs(signals.take(bySilence), life)
    while (!isFull(run, input) && !rests) {
      const finished = await runMoment(life)
      if (finished === 'over') return null
      if ('rests' in finished) {
        showRest(finished)
        rests = true
        continue
      }
      run.note('moment')
      showStatus(life, finished)
      rests = finished.stamped.waiting === 0 && finished.opened.ended !== true
      if (rests || !run.isTaskFull()) continue
      await sleep(1)
      run.note('task')
    }
    rests = rests && signals.isCalm && isLongAtRest(run, input, restsAfter)
    if (!rests || !endsInSilence(input)) continue
    rests = await isSilentBeforeEnd(life, signals)
    run.note('task')
    restsAfter = run.events + REST_AGAIN_EVENTS
  }
  if (!rests && endsInSilence(input)) await sleep(1) // ends the task of the last moment: see REST_SILENCE_MS
  await condition(allHandlersFinished)
  for (let acts = signals.takeAll(); acts.length > 0; acts = signals.takeAll()) await enqueueActs(acts, life)
  return nextRun(input, life, rests && signals.isCalm)
}

function nextRun(input: BeingInput, life: Life, rests: boolean): BeingInput {
  const { generation, n, idle } = life
  const next = { ...input, life: { generation, n, ...(idle === null ? {} : { idle }) } }
  if (!counts(input) && !patched(RESTS_ANEW)) return next
  return {
    ...next,
    version: BEING_VERSION,
    life: {
      ...next.life,
      ...(rests ? { rests } : {}),
      ...(rests && life.silentMs > 0 ? { silentMs: life.silentMs } : {}),
      ...(life.details === null ? {} : { details: life.details }),
    },
  }
}

/** The patch by which runs without a version continue as new at rest. */
const RESTS_ANEW = 'rests-anew'

function isLongAtRest({ events }: RunLength, input: BeingInput, restsAfter: number): boolean {
  // Like a signal, a replay may see what the server says early within a task. At rest the task is mostly over.
  const { continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo()
  if (settles(input) && continueAsNewSuggested) return true
  if (endsInSilence(input) && targetWorkerDeploymentVersionChanged) return true // the next run is the newer workers'
  return events > restsAfter && (counts(input) || patched(RESTS_ANEW))
}

/**
 * Waits for the silence in which a run may end. The next run waits only for what is left of the being's idle time. A being whose idle time
 * is shorter than this silence goes on until its run is full.
 */
async function isSilentBeforeEnd(life: Life, signals: OlderSignals): Promise<boolean> {
  const { idle } = life
  if (idle?.armed === true && idle.seconds * 1000 <= REST_SILENCE_MS) return false
  const isSilent = await isSilentFor(REST_SILENCE_MS, 'silence before a new run', () => !signals.isCalm)
  if (isSilent) life.silentMs = REST_SILENCE_MS
  return isSilent
}

/**
 * Sleeps until a signal arrives, or until the being's idle time has passed. Then it puts an idle wake into the inbox.
 * @returns whether the idle time has passed
 */
async function sleepUntilSignal(life: Life, signals: OlderSignals, settles: boolean): Promise<boolean> {
  const { being, generation, n, idle, silentMs } = life
  const isAwake = () => !signals.isCalm
  life.silentMs = 0
  if (idle === null || !idle.armed) {
    await condition(isAwake)
    return false
  }
  const summary = `${idle.seconds} s of silence`
  const isSilent = settles
    ? await isSilentFor(idle.seconds * 1000 - silentMs, summary, isAwake)
    : !(await condition(isAwake, idle.seconds * 1000, { summary }))
  if (!isSilent) return false
  await localBeats('wake by itself').wakeIdle({ being, generation, n, seconds: idle.seconds })
  life.idle = { ...idle, armed: false }
  return true
}

/**
 * Sleeps until it is awake or the time has passed.
 * @returns whether the time has passed, also when a signal comes in the same task: a replay may hear the signal first
 */
async function isSilentFor(ms: number, summary: string, isAwake: () => boolean): Promise<boolean> {
  let isOver = false
  return CancellationScope.cancellable(async () => {
    const time = sleep(ms, { summary }).then(() => {
      isOver = true
    })
    try {
      // Both may come in one activation. The time is then noted before the race is over, whichever came first.
      await Promise.race([time, condition(isAwake)])
      return isOver
    } finally {
      CancellationScope.current().cancel()
    }
  })
}

async function enqueueActs(acts: readonly SignalledAct[], life: Life): Promise<void> {
  for (const act of acts) await enqueueAct(life, act)
}

const isFull = ({ events }: RunLength, input: BeingInput) =>
  (!settles(input) && workflowInfo().continueAsNewSuggested) ||
  events > (input.historyEventsMax ?? HISTORY_EVENTS_MAX)
