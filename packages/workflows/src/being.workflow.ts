import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  log,
  patched,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow'
import { type BeingName, CONTENT_BOUNDS, guardJson, type JsonObject } from '@treeos/core/workflow'
import { ACT_SIGNAL, COGNITION, ROLE, WAKE_SIGNAL } from '@treeos/protocol/workflow'
import { localBeats } from './beats.ts'
import { type FinishedMoment, type Idle, type Life, runMoment, stackLabel } from './moment.ts'

/** A doorbell without content: the inbox is in Postgres. A lost or duplicated signal costs latency only. */
export const wakeSignal = defineSignal(WAKE_SIGNAL)
/** A small act that a person sends from the Temporal UI. It is the only content that history holds. */
export const actSignal = defineSignal<[JsonObject]>(ACT_SIGNAL)

/** Input of the workflow. Nothing else survives continue-as-new. */
export interface BeingInput {
  readonly reality: string
  readonly being: BeingName
  /** left out on the first run of an execution chain, which takes a new generation */
  readonly life?: { readonly generation: number; readonly n: number; readonly idle?: Idle }
  /** events after which a run ends and the next begins; {@link HISTORY_EVENTS_MAX} unless given */
  readonly historyEventsMax?: number
}

/**
 * Bounds the length of a run. A being that was evicted from the cache is replayed from the start of its run, within one
 * workflow task. On two busy cores a replay of 1500 events took longer than the task timeout, so that being never resumed.
 */
const HISTORY_EVENTS_MAX = 500

/**
 * The workflow of one being. It sleeps until a doorbell rings, then runs moments until no wake is left. It returns once the
 * being was ended and all its wakes are closed.
 */
export async function beingWorkflow(input: BeingInput): Promise<void> {
  let rung = true // a wake may have arrived before this run
  const acts: { id: string; act: JsonObject }[] = []
  const ring = () => {
    rung = true
  }
  setHandler(wakeSignal, ring, { description: 'Check the inbox.' })
  const receiveAct = (act: JsonObject) => {
    if (isSmallJson(act)) acts.push({ id: uuid4(), act })
    else log.warn('refused an act sent as a signal: it must be plain JSON of at most 16 KiB')
  }
  setHandler(actSignal, receiveAct, {
    description:
      'Act as this being: {"verb":"summon","target":"@name","content":"…"}. Stays in this history for ever.',
  })
  const isShort = patched('short-way')
  try {
    const life = await begin(input, isShort)
    const task = new TaskBound()
    while (!isHistoryFull(input)) {
      await sleepUntil(() => rung || acts.length > 0, life)
      rung = false
      await enqueueActs(acts, life)
      while (!isHistoryFull(input)) {
        const finished = await runMoment(life)
        if (finished === 'over') return // a wake that comes later starts a new run, which ends it and returns here too
        if ('rests' in finished) {
          if (finished.cognition !== null) upsertChanged([{ key: COGNITION, value: finished.cognition }])
          break
        }
        showStatus(life, finished)
        if (finished.stamped.waiting === 0 && finished.opened.ended !== true) break
        if (isShort && task.isFull()) await sleep(1)
      }
    }
    await condition(allHandlersFinished)
    while (acts.length > 0) await enqueueActs(acts, life) // more may arrive while one is written
    await continueAsNew<typeof beingWorkflow>({
      ...input,
      life: {
        generation: life.generation,
        n: life.n,
        ...(life.idle === null ? {} : { idle: life.idle }),
      },
    })
  } catch (error) {
    if (!isSuperseded(error)) throw error // another workflow runs a newer generation of this being, so this one ends
  }
}

async function begin({ being, life }: BeingInput, isShort: boolean): Promise<Life> {
  if (life !== undefined) return { being, idle: null, ...life, program: null, isShort }
  const chain = workflowInfo().firstExecutionRunId
  const { value: begun } = await localBeats('begin a life').beginLife({ being, chain })
  return { being, ...begun, program: null, idle: null, isShort }
}

/**
 * Bounds the moments of one workflow task. A task holds up signals, and the server ends one that takes longer than 10 s. So
 * the worst case of a moment on the short way, times this, stays below it.
 */
const MOMENTS_OF_TASK_MAX = 8

/** Counts the moments since the task began. A new task has a longer history, live and in a replay. */
class TaskBound {
  #task = 0
  #moments = 0

  isFull(): boolean {
    const { historyLength } = workflowInfo()
    if (historyLength !== this.#task) {
      this.#task = historyLength
      this.#moments = 0
    }
    this.#moments += 1
    return this.#moments >= MOMENTS_OF_TASK_MAX
  }
}

/** Sleeps until a signal arrives, or until the being's idle time has passed. Then it puts an idle wake into the inbox. */
async function sleepUntil(isRung: () => boolean, life: Life): Promise<void> {
  const { being, generation, n, idle } = life
  if (idle === null || !idle.armed) return condition(isRung)
  if (await condition(isRung, idle.seconds * 1000, { summary: `${idle.seconds} s of silence` })) return
  await localBeats('wake by itself').wakeIdle({ being, generation, n, seconds: idle.seconds })
  life.idle = { ...idle, armed: false }
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
async function enqueueActs(acts: { id: string; act: JsonObject }[], { being }: Life): Promise<void> {
  for (const { id, act } of acts.splice(0)) await localBeats('take an act').intake({ being, id, act })
}

function isHistoryFull({ historyEventsMax = HISTORY_EVENTS_MAX }: BeingInput): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo()
  return continueAsNewSuggested || historyLength > historyEventsMax
}

const isSuperseded = (error: unknown) =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === 'StaleGenerationError'

/** Shows the last moment in the Temporal UI. */
function showStatus(life: Life, { opened, stack, stamped }: FinishedMoment): void {
  const role = stack?.primary.name ?? ''
  setCurrentDetails(
    `moment #${life.n - 1} · ${stackLabel(stack)} · ${stamped.kind}${stamped.reason === null ? '' : ` (${stamped.reason})`} · ` +
      `${stamped.waiting} waiting`,
  )
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
