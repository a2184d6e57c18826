import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  defineSignal,
  log,
  makeContinueAsNewFunc,
  patched,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow'
import { type BeingName, CONTENT_BOUNDS, guardJson, type JsonObject } from '@treeos/core/workflow'
import { ACT_SIGNAL, BEING_VERSION, COGNITION, ROLE, WAKE_SIGNAL } from '@treeos/protocol/workflow'
import { localBeats } from './beats.ts'
import { type FinishedMoment, type Idle, type Life, runMoment, stackLabel } from './moment.ts'
import { CountedRun, MeasuredRun, type RunLength } from './run-length.ts'
import { NotedSignals, SettledSignals, type SignalledAct, type Signals } from './signals.ts'

/** A doorbell without content: the inbox is in Postgres. A lost or duplicated signal costs latency only. */
export const wakeSignal = defineSignal(WAKE_SIGNAL)
/** A small act that a person sends from the Temporal UI. It is the only content that history holds. */
export const actSignal = defineSignal<[JsonObject]>(ACT_SIGNAL)

/** Input of the workflow. Nothing else survives continue-as-new. */
export interface BeingInput {
  readonly reality: string
  readonly being: BeingName
  /** left out on the first run of an execution chain, which takes a new generation */
  readonly life?: {
    readonly generation: number
    readonly n: number
    readonly idle?: Idle
    /** how long the being was silent at the end of the run before; left out for 0 */
    readonly silentMs?: number
    /** the run before ended because no wake was left, so this one waits for a doorbell */
    readonly rests?: true
    /** what the Temporal UI shows of the last moment */
    readonly details?: string
  }
  /** version of the code by which the run began; left out in runs that began before there were versions */
  readonly version?: number
  /** events after which a run ends and the next begins; by default {@link HISTORY_EVENTS_MAX}, or {@link REST_EVENTS_MAX} at rest */
  readonly historyEventsMax?: number
}

/**
 * Bounds the length of a run. A being that was evicted from the cache is replayed from the start of its run, within one
 * workflow task. On two busy cores a replay of 1500 events took longer than the task timeout, so that being never resumed.
 */
const HISTORY_EVENTS_MAX = 500

/**
 * Events after which a being that rests continues as new, about 12 moments. A being that is woken when it is in no cache replays
 * its run first, at about 3 events a ms.
 */
const REST_EVENTS_MAX = 96

/**
 * A run ends only after such a silence. The server refuses to end a run in a task during which a signal came, and then all that the
 * task did is done again; the next wake of a busy being often comes with the end of a moment.
 */
const REST_SILENCE_MS = 2000
/** After a wake broke the silence, the run waits for one again after so many events, about 4 moments: each time costs a timer. */
const REST_AGAIN_EVENTS = 32

/**
 * The workflow of one being. It sleeps until a doorbell rings, then runs moments until no wake is left. It returns once the
 * being was ended and all its wakes are closed.
 */
export async function beingWorkflow(input: BeingInput): Promise<void> {
  requireKnownVersion(input)
  const isShort = counts(input) || patched('short-way')
  const run: RunLength = counts(input) ? new CountedRun() : new MeasuredRun(isShort)
  const looks = input.life?.rests !== true // a wake may have arrived before this run
  const signals: Signals = settles(input) ? new SettledSignals(run, looks) : new NotedSignals(run, looks)
  setHandler(wakeSignal, () => signals.ring(), { description: 'Check the inbox.' })
  const receiveAct = (act: JsonObject) => {
    if (isSmallJson(act)) return signals.act({ id: uuid4(), act })
    signals.refused()
    log.warn('refused an act sent as a signal: it must be plain JSON of at most 16 KiB')
  }
  setHandler(actSignal, receiveAct, {
    description:
      'Act as this being: {"verb":"summon","target":"@name","content":"…"}. Stays in this history for ever.',
  })
  try {
    const life = await begin(input, isShort, signals)
    let rests = false
    let restsAfter = input.historyEventsMax ?? REST_EVENTS_MAX
    while (!isFull(run, input) && !rests) {
      let bySilence = false
      // Runs of version 1 number a timer here although they do not sleep.
      if (signals.isCalm || !counts(input)) {
        bySilence = await sleepUntilSignal(life, settles(input))
        run.note('task')
      }
      await enqueueActs(signals.take(bySilence), life)
      while (!isFull(run, input) && !rests) {
        const finished = await runMoment(life)
        if (finished === 'over') return // a wake that comes later starts a new run, which ends it and returns here too
        if ('rests' in finished) {
          if (finished.cognition !== null) upsertChanged([{ key: COGNITION, value: finished.cognition }])
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
      rests = await isSilentBeforeEnd(life)
      run.note('task')
      restsAfter = run.events + REST_AGAIN_EVENTS
    }
    if (!rests && endsInSilence(input)) await sleep(1) // ends the task of the last moment: see REST_SILENCE_MS
    await condition(allHandlersFinished)
    for (let acts = signals.takeAll(); acts.length > 0; acts = signals.takeAll())
      await enqueueActs(acts, life) // more may arrive while one is written
    // The server refuses to end a run that has not seen a signal. The task then runs again, with the signal.
    await beginAnew(nextRun(input, life, rests && signals.isCalm))
  } catch (error) {
    if (!isSuperseded(error)) throw error // another workflow runs a newer generation of this being, so this one ends
  }
}

/** Where workers have versions, the next run begins on those that are current, and stays with them. */
const beginAnew = (next: BeingInput): Promise<never> =>
  makeContinueAsNewFunc<typeof beingWorkflow>({ initialVersioningBehavior: 'AUTO_UPGRADE' })(next)

/**
 * A worker that is older than the code of a run would do other things than its history says, or write what the newer code cannot
 * replay. So it fails the task, which the server gives out again until a newer worker takes it.
 */
function requireKnownVersion({ version = 1 }: BeingInput): void {
  if (version > BEING_VERSION)
    throw new Error(
      `version ${version} of the code began this run, and this worker has version ${BEING_VERSION}`,
    )
}

// Runs of an older version become current when they next begin anew.
/** Since version 2 a run counts its events. */
const counts = ({ version = 1 }: BeingInput) => version >= 2
/** Since version 3 what a run does depends on the order of its signals, and no longer on when they come. */
const settles = ({ version = 1 }: BeingInput) => version >= 3
/** Since version 4 a run ends in a task of its own, and at rest only in silence. */
const endsInSilence = ({ version = 1 }: BeingInput) => version >= 4

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
  // Like a signal, a replay may see what the server says early within a task. At rest the task is over.
  const { continueAsNewSuggested, targetWorkerDeploymentVersionChanged } = workflowInfo()
  if (settles(input) && continueAsNewSuggested) return true
  if (endsInSilence(input) && targetWorkerDeploymentVersionChanged) return true // the next run is the newer workers'
  return events > restsAfter && (counts(input) || patched(RESTS_ANEW))
}

/**
 * Waits for the silence in which a run may end. The next run waits only for what is left of the being's idle time. A being whose idle time
 * is shorter than this silence goes on until its run is full.
 */
async function isSilentBeforeEnd(life: Life): Promise<boolean> {
  const { idle, signals } = life
  if (idle?.armed === true && idle.seconds * 1000 <= REST_SILENCE_MS) return false
  const isSilent = await isSilentFor(REST_SILENCE_MS, 'silence before a new run', () => !signals.isCalm)
  if (isSilent) life.silentMs = REST_SILENCE_MS
  return isSilent
}

async function begin({ being, life }: BeingInput, isShort: boolean, signals: Signals): Promise<Life> {
  if (life !== undefined) {
    const { generation, n, idle = null, silentMs = 0, details = null } = life
    if (details !== null) setCurrentDetails(details)
    return { being, generation, n, idle, silentMs, program: null, isShort, details, signals }
  }
  const chain = workflowInfo().firstExecutionRunId
  const { value: begun } = await localBeats('begin a life').beginLife({ being, chain })
  return { being, ...begun, program: null, idle: null, silentMs: 0, isShort, details: null, signals }
}

/**
 * Sleeps until a signal arrives, or until the being's idle time has passed. Then it puts an idle wake into the inbox.
 * @returns whether the idle time has passed
 */
async function sleepUntilSignal(life: Life, settles: boolean): Promise<boolean> {
  const { being, generation, n, idle, silentMs, signals } = life
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

/** Anyone who may signal can send anything. A payload too large for an activity would fail and be retried for ever. */
const ACT_BYTES_MAX = 16 * 1024

function isSmallJson(act: unknown): boolean {
  try {
    guardJson(act, { ...CONTENT_BOUNDS, bytesMax: ACT_BYTES_MAX })
    return true
  } catch {
    return false
  }
}

/** Puts acts that came as signals into the inbox. */
async function enqueueActs(acts: readonly SignalledAct[], { being }: Life): Promise<void> {
  for (const { id, act } of acts) await localBeats('take an act').intake({ being, id, act })
}

const isFull = ({ events }: RunLength, input: BeingInput) =>
  (!settles(input) && workflowInfo().continueAsNewSuggested) ||
  events > (input.historyEventsMax ?? HISTORY_EVENTS_MAX)

const isSuperseded = (error: unknown) =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === 'StaleGenerationError'

/** Shows the last moment in the Temporal UI. */
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

/** Upserts search attributes only when they changed, since each upsert is an event. */
function upsertChanged(attributes: readonly { readonly key: typeof ROLE; readonly value: string }[]): void {
  const { typedSearchAttributes } = workflowInfo()
  const changed = attributes.filter(({ key, value }) => typedSearchAttributes.get(key) !== value)
  if (changed.length > 0) upsertSearchAttributes(changed)
}
