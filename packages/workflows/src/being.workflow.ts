import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  defineQuery,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import { parseMomentId } from '@treeos/core/workflow'
import { BEING_VERSION, COGNITION, ROLE } from '@treeos/protocol/workflow'
import { WAITS_FOR_CODE } from './beats.ts'
import { type BeingInput, beginLife, enqueueAct, type Life } from './life.ts'
import {
  evaluate,
  type FinishedMoment,
  livedLabel,
  type RestingMoment,
  runMoments,
  stackLabel,
} from './moment.ts'
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
 * The workflow of one being. It sleeps until a doorbell rings, then runs moments until no wake is left. It
 * returns once the being was ended and all its wakes are closed.
 */
export async function treeosBeing(input: BeingInput): Promise<void> {
  requireKnownVersion(input)
  try {
    const next = await liveRun(input)
    // If a signal came meanwhile, the server refuses to end the run, and gives out this task again with the
    // signal.
    if (next !== null) await beginAnew(next)
  } catch (error) {
    // another workflow runs a newer generation of this being, so this one ends
    if (!isSuperseded(error)) throw error
  }
}

/**
 * Lives moments until the run is long. Only results of activities and timers decide what it does next. A
 * signal just ends the wait at rest. Then the run calls `liveMoments`, as it does when a timer ends that
 * wait: see {@link Signals}.
 * @returns the input of the next run, or null when the being was ended
 */
async function liveRun(input: BeingInput): Promise<BeingInput | null> {
  const run = new RunLength()
  const signals = new Signals(run)
  hearInOrder(signals)
  const asking = new Hinter(signals)
  const { life, before } = await beginLife(input, asking)
  if (life.shown.length > 0) showMoments(life)
  answerQueries(life)
  for (const moment of before) await evaluate(life, moment)
  life.program = null // so that history holds the program beside the first moment that this run lives
  let rests = false // a wake may have come before this run began
  let restsAfter = input.historyEventsMax ?? REST_EVENTS_MAX
  const eventsMax = input.historyEventsMax ?? HISTORY_EVENTS_MAX
  let handedOn = 0
  while (run.events <= eventsMax) {
    if (rests) {
      const silence = beginSilence(life, asking.isEndSuggested || run.events > restsAfter)
      asking.silence = silence
      await condition(() => signals.isLeft || silence.isOver)
      run.note('task') // counted even if a signal had come before the wait began
      if (silence.endsRun) restsAfter = run.events + REST_AGAIN_EVENTS
    }
    const { finished, rest, handsOn } = await runMoments(life, run.room)
    if (finished.length > 0) life.silentMs = 0
    for (const { isLived } of finished) run.note(isLived ? 'lived' : 'moment')
    showStatus(life, finished)
    rests = false
    handedOn = handsOn === undefined ? 0 : handedOn + 1
    if (handsOn === 'outdated') return endLife(life, signals)
    if (handsOn !== undefined) {
      // the task ends, so that another worker may take the next one
      await sleep(handsOn, { summary: WAITS_FOR_CODE })
      run.note('moment')
      if (asking.isEndSuggested || handedOn > HAND_ONS_MAX) break
      continue
    }
    // a later wake starts a new run, which closes that wake and returns here too
    if (rest === 'over') return null
    if (rest !== null) showRest(rest)
    rests = rest !== null || isAtRest(finished)
    const act = rests ? signals.take() : null
    if (act !== null) await enqueueAct(life, act)
    rests &&= act === null
    // Only what the result repeats counts: a replay may hear a signal before it that the run did not. The next
    // run begins by asking, so no doorbell is lost.
    if (rests && finished.length === 0 && asking.endsRun) return nextRun(input, life, REST_SILENCE_MS)
    if (rests || !run.isTaskFull()) continue
    await sleep(1)
    run.note('task')
  }
  await settleSignals(life, signals)
  return nextRun(input, life)
}

/**
 * So often in a row a run is handed on before the next run begins. With Worker Versioning that one is of the
 * current version, which may be the one that has the code.
 */
const HAND_ONS_MAX = 8

/** The run ends, and a new life goes on: it opens again what is open. */
async function endLife(life: Life, signals: Signals): Promise<null> {
  await settleSignals(life, signals)
  return null
}

async function settleSignals(life: Life, signals: Signals): Promise<void> {
  await sleep(1) // ends the workflow task of the last moment: see REST_SILENCE_MS
  await condition(allHandlersFinished)
  for (let acts = signals.takeAll(); acts.length > 0; acts = signals.takeAll())
    for (const act of acts) await enqueueAct(life, act) // more may arrive while one is written
}

/** @param silentMs how long the being was silent, when the run ends at rest */
function nextRun(input: BeingInput, life: Life, silentMs = 0): BeingInput {
  const { generation, n, idle, shown } = life
  return {
    ...input,
    version: BEING_VERSION,
    life: {
      generation,
      n,
      ...(idle === null ? {} : { idle }),
      ...(silentMs === 0 ? {} : { silentMs }),
      ...(shown.length === 0 ? {} : { shown }),
    },
  }
}

/** With Worker Versioning, the next run begins on the current version and stays on it. */
const beginAnew = (next: BeingInput): Promise<never> =>
  makeContinueAsNewFunc<typeof treeosBeing>({ initialVersioningBehavior: 'AUTO_UPGRADE' })(next)

/**
 * An older worker would not do what the history of the run says, or would write what newer code cannot
 * replay. So it fails the task, and the server gives the task out again until a newer worker takes it.
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

/**
 * Whether no wake waits after the last of these moments. A being that was ended asks once more, and then its
 * workflow ends.
 */
function isAtRest(finished: readonly FinishedMoment[]): boolean {
  const last = finished.at(-1)
  return last !== undefined && last.stamped.waiting === 0 && last.opened.ended !== true
}

/** Names of roles and actions, as the details show them. */
const momentsQuery = defineQuery<readonly string[]>('moments')

const answerQueries = (life: Life): void =>
  setHandler(momentsQuery, () => life.shown.toReversed(), {
    description: `The last ${SHOWN_MAX} moments, the newest first.`,
  })

/** Most moments that the Temporal UI shows in the details of a run. */
const SHOWN_MAX = 16

/** Shows the last moments in the Temporal UI: as text, and the last one as search attributes. */
function showStatus(life: Life, finished: readonly FinishedMoment[]): void {
  const last = finished.at(-1)
  if (last === undefined) return
  life.last = livedLabel(finished)
  life.shown = [...life.shown, ...finished.map(lineOf)].slice(-SHOWN_MAX)
  showMoments(life)
  const role = last.stack?.primary.name ?? ''
  upsertChanged([
    { key: COGNITION, value: last.opened.cognition },
    ...(role === '' ? [] : [{ key: ROLE, value: role }]),
  ])
}

function lineOf({ opened, stack, stamped }: FinishedMoment): string {
  const { n } = parseMomentId(opened.moment)
  const outcome = `${stamped.kind}${stamped.reason === null ? '' : ` (${stamped.reason})`}`
  const did = stamped.did === undefined ? '' : `${stamped.did} → `
  return `moment #${n} · ${stackLabel(stack)} · ${did}${outcome} · ${stamped.waiting} waiting`
}

/** The newest first: a list in the details of the run, and the command that explains one. */
const showMoments = ({ being, n, shown }: Life): void =>
  setCurrentDetails(
    [
      `\`treeos explain @${being} ${n - 1}\` explains the last of these:`,
      '',
      ...shown.toReversed().map((line) => `- ${line}`),
    ].join('\n'),
  )

/** Shows who decides for a being at rest, where somebody inhabited it. */
function showRest({ cognition }: RestingMoment): void {
  if (cognition !== null) upsertChanged([{ key: COGNITION, value: cognition }])
}

/** Upserts search attributes only when they changed, since each upsert is an event. */
function upsertChanged(attributes: readonly { readonly key: typeof ROLE; readonly value: string }[]): void {
  const { typedSearchAttributes } = workflowInfo()
  const changed = attributes.filter(({ key, value }) => typedSearchAttributes.get(key) !== value)
  if (changed.length > 0) upsertSearchAttributes(changed)
}
