import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  setCurrentDetails,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import { BEING_VERSION, COGNITION, ROLE } from '@treeos/protocol/workflow'
import { type BeingInput, beginLife, enqueueAct, type Life } from './life.ts'
import { type FinishedMoment, type Rest, runMoment, stackLabel } from './moment.ts'
import {
  beginSilence,
  HISTORY_EVENTS_MAX,
  REST_AGAIN_EVENTS,
  REST_EVENTS_MAX,
  REST_SILENCE_MS,
  RunLength,
} from './run.ts'
import { Hinter, hearInOrder, Signals } from './signals.ts'

/**
 * The workflow of one being. It sleeps until a doorbell rings, then runs moments until no wake is left. It returns once the
 * being was ended and all its wakes are closed.
 */
export async function beingWorkflow(input: BeingInput): Promise<void> {
  requireKnownVersion(input)
  try {
    const next = await liveRun(input)
    // If a signal came meanwhile, the server refuses to end the run, and gives out this task again with the signal.
    if (next !== null) await beginAnew(next)
  } catch (error) {
    if (!isSuperseded(error)) throw error // another workflow runs a newer generation of this being, so this one ends
  }
}

/**
 * Lives moments until the run is long. Only results of activities and timers decide what it does next. A signal just ends the wait at
 * rest. Then the run calls `openMoment`, as it does when a timer ends that wait: see {@link Signals}.
 * @returns the input of the next run, or null when the being was ended
 */
async function liveRun(input: BeingInput): Promise<BeingInput | null> {
  const run = new RunLength()
  const signals = new Signals(run)
  hearInOrder(signals)
  const asking = new Hinter(signals)
  const life = await beginLife(input, asking)
  let rests = input.life?.rests === true // if not, a wake may have come before this run began
  let restsAfter = input.historyEventsMax ?? REST_EVENTS_MAX
  const eventsMax = input.historyEventsMax ?? HISTORY_EVENTS_MAX
  while (run.events <= eventsMax || life.ahead[0]?.lived !== undefined) {
    if (rests) {
      const silence = beginSilence(life, asking.isEndSuggested || run.events > restsAfter)
      asking.silence = silence
      await condition(() => signals.isLeft || silence.isOver)
      run.note('task') // counted even if a signal had come before the wait began
      if (silence.endsRun && !signals.isLeft) return nextRun(input, life, { silentMs: REST_SILENCE_MS })
      if (silence.endsRun) restsAfter = run.events + REST_AGAIN_EVENTS
    }
    const finished = await runMoment(life, { room: run.roomAfterNext })
    if (finished === 'over') return null // a later wake starts a new run, which closes that wake and returns here too
    if ('rests' in finished) {
      showRest(finished)
      rests = true
    } else {
      run.note(finished.isLived ? 'lived' : 'moment')
      showStatus(life, finished)
      rests = finished.stamped.waiting === 0 && finished.opened.ended !== true
    }
    const act = rests ? signals.take() : null
    if (act !== null) await enqueueAct(life, act)
    rests &&= act === null
    if (rests || life.ahead.length > 0 || !run.isTaskFull()) continue
    await sleep(1)
    run.note('task')
  }
  await sleep(1) // ends the workflow task of the last moment: see REST_SILENCE_MS
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

/** With Worker Versioning, the next run begins on the current version and stays on it. */
const beginAnew = (next: BeingInput): Promise<never> =>
  makeContinueAsNewFunc<typeof beingWorkflow>({ initialVersioningBehavior: 'AUTO_UPGRADE' })(next)

/**
 * An older worker would not do what the history of the run says, or would write what newer code cannot replay. So it fails the task,
 * and the server gives the task out again until a newer worker takes it.
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

/** Shows the last moment in the Temporal UI: as text, and as search attributes. */
function showStatus(life: Life, { opened, stack, stamped }: FinishedMoment): void {
  const role = stack?.primary.name ?? ''
  life.details =
    `moment #${life.n - 1} · ${stackLabel(stack)} · ${stamped.kind}${stamped.reason === null ? '' : ` (${stamped.reason})`} · ` +
    `${stamped.waiting} waiting`
  setCurrentDetails(life.details)
  upsertChanged([
    { key: COGNITION, value: opened.cognition },
    ...(role === '' ? [] : [{ key: ROLE, value: role }]),
  ])
}

/** Shows who decides for a being at rest, where somebody inhabited it. */
function showRest({ cognition }: Rest): void {
  if (cognition !== null) upsertChanged([{ key: COGNITION, value: cognition }])
}

/** Upserts search attributes only when they changed, since each upsert is an event. */
function upsertChanged(attributes: readonly { readonly key: typeof ROLE; readonly value: string }[]): void {
  const { typedSearchAttributes } = workflowInfo()
  const changed = attributes.filter(({ key, value }) => typedSearchAttributes.get(key) !== value)
  if (changed.length > 0) upsertSearchAttributes(changed)
}
