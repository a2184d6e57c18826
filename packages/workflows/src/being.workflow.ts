import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  sleep,
} from '@temporalio/workflow'
import { BEING_VERSION } from '@treeos/protocol/workflow'
import { hearInOrder } from './hear.ts'
import {
  type BeingInput,
  beginLife,
  enqueueAct,
  HISTORY_EVENTS_MAX,
  type Life,
  REST_AGAIN_EVENTS,
  REST_EVENTS_MAX,
} from './life.ts'
import { runMoment } from './moment.ts'
import { Hinter } from './run-hinter.ts'
import { RunLength } from './run-length.ts'
import { Signals } from './signals.ts'
import { beginSilence, REST_SILENCE_MS } from './silence.ts'
import { showRest, showStatus } from './status.ts'

/**
 * The workflow of one being. It sleeps until a doorbell rings, then runs moments until no wake is left. It returns once the
 * being was ended and all its wakes are closed.
 */
export async function beingWorkflow(input: BeingInput): Promise<void> {
  requireKnownVersion(input)
  try {
    const next = await liveRun(input)
    // The server refuses to end a run that has not seen a signal. The task then runs again, with the signal.
    if (next !== null) await beginAnew(next)
  } catch (error) {
    if (!isSuperseded(error)) throw error // another workflow runs a newer generation of this being, so this one ends
  }
}

/**
 * Lives moments until the run is long. What it does next depends on the results of its activities and on its timers. A signal only ends the
 * wait at rest, and then the run asks `openMoment`, as it does when a timer ends that wait: see {@link Signals}.
 * @returns the input of the next run, or null when the being was ended
 */
async function liveRun(input: BeingInput): Promise<BeingInput | null> {
  const run = new RunLength()
  const signals = new Signals(run)
  hearInOrder(signals)
  const asking = new Hinter(signals)
  const life = await beginLife(input, asking)
  let rests = input.life?.rests === true // else a wake may have come before this run
  let restsAfter = input.historyEventsMax ?? REST_EVENTS_MAX
  while (run.events <= (input.historyEventsMax ?? HISTORY_EVENTS_MAX)) {
    if (rests) {
      const silence = beginSilence(life, asking.isEndSuggested || run.events > restsAfter)
      asking.silence = silence
      await condition(() => signals.isLeft || silence.isOver)
      run.note('task') // also when a signal was heard before the wait began
      if (silence.endsRun && !signals.isLeft) return nextRun(input, life, { silentMs: REST_SILENCE_MS })
      if (silence.endsRun) restsAfter = run.events + REST_AGAIN_EVENTS
    }
    const finished = await runMoment(life, { opensNext: run.hasRoomForNext() })
    if (finished === 'over') return null // a wake that comes later starts a new run, which ends it and returns here too
    if ('rests' in finished) {
      showRest(finished)
      rests = true
    } else {
      run.note('moment')
      showStatus(life, finished)
      rests = finished.stamped.waiting === 0 && finished.opened.ended !== true
    }
    const act = rests ? signals.take() : null
    if (act !== null) await enqueueAct(life, act)
    rests &&= act === null
    if (rests || !run.isTaskFull()) continue
    await sleep(1)
    run.note('task')
  }
  await sleep(1) // ends the task of the last moment: see REST_SILENCE_MS
  await condition(allHandlersFinished)
  for (let acts = signals.takeAll(); acts.length > 0; acts = signals.takeAll())
    for (const act of acts) await enqueueAct(life, act) // more may arrive while one is written
  return nextRun(input, life)
}

/** @param rest how long the being was silent, when the run ends at rest */
function nextRun(input: BeingInput, life: Life, rest?: { readonly silentMs: number }): BeingInput {
  const { generation, n, idle, details } = life
  return {
    ...input,
    version: BEING_VERSION,
    life: {
      generation,
      n,
      ...(idle === null ? {} : { idle }),
      ...(rest === undefined ? {} : { rests: true, ...rest }),
      ...(details === null ? {} : { details }),
    },
  }
}

/** Where workers have versions, the next run begins on those that are current, and stays with them. */
const beginAnew = (next: BeingInput): Promise<never> =>
  makeContinueAsNewFunc<typeof beingWorkflow>({ initialVersioningBehavior: 'AUTO_UPGRADE' })(next)

/**
 * A worker that is older than the code of a run would do other things than its history says, or write what the newer code cannot
 * replay. So it fails the task, which the server gives out again until a newer worker takes it.
 */
function requireKnownVersion({ version }: BeingInput): void {
  if (version > BEING_VERSION)
    throw new Error(
      `version ${version} of the code began this run, and this worker has version ${BEING_VERSION}`,
    )
}

const isSuperseded = (error: unknown) =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === 'StaleGenerationError'
