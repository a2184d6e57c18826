import {
  ActivityFailure,
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  log,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow'
import { type BeingName, CONTENT_BOUNDS, guardJson, type JsonObject } from '@treeos/core/workflow'
import { ACT_SIGNAL, COGNITION, ROLE, WAKE_SIGNAL } from '@treeos/protocol/workflow'
import { localBeats } from './beats.ts'
import { type FinishedMoment, type Idle, type Life, runMoment, stackLabel } from './moment.ts'

/** A doorbell: the inbox is in Postgres, so it carries nothing, and a lost or doubled one costs latency only. */
export const wakeSignal = defineSignal(WAKE_SIGNAL)
/** A small act that a person sends from the Temporal UI: the one content in history, put there by that person. */
export const actSignal = defineSignal<[JsonObject]>(ACT_SIGNAL)

/** All that survives continue-as-new. */
export interface BeingInput {
  readonly reality: string
  readonly being: BeingName
  /** absent on the first run of an execution chain, which takes a new generation */
  readonly life?: { readonly generation: number; readonly n: number; readonly idle?: Idle }
  /** events after which a run ends and the next begins; {@link HISTORY_EVENTS_MAX} unless given */
  readonly historyEventsMax?: number
}

/**
 * Runs are kept short: a being that was evicted is replayed from its run's beginning, within one workflow task. Measured
 * on two busy cores, a replay of 1500 events took longer than a task may, so that being never came back.
 */
const HISTORY_EVENTS_MAX = 500

/** A being's life. It sleeps until the doorbell rings, then lives one moment after another until nothing wakes it. */
export async function beingWorkflow(input: BeingInput): Promise<void> {
  let rung = true // something may have come before this run
  const acts: { id: string; act: JsonObject }[] = []
  const ring = () => {
    rung = true
  }
  setHandler(wakeSignal, ring, { description: 'Look into the inbox.' })
  const receiveAct = (act: JsonObject) => {
    if (isSmallJson(act)) acts.push({ id: uuid4(), act })
    else log.warn('an act that came as a signal was refused: plain JSON of at most 16 KiB is taken')
  }
  setHandler(actSignal, receiveAct, {
    description:
      'Act as this being: {"verb":"summon","target":"@name","content":"…"}. Stays in this history for ever.',
  })
  try {
    const life = await begin(input)
    while (!isHistoryFull(input)) {
      await sleepUntil(() => rung || acts.length > 0, life)
      rung = false
      await enqueueActs(acts, life)
      while (!isHistoryFull(input)) {
        const finished = await runMoment(life)
        if (finished === null) break
        showStatus(life, finished)
        if (finished.stamped.waiting === 0) break
      }
    }
    await condition(allHandlersFinished)
    while (acts.length > 0) await enqueueActs(acts, life) // more may come while one is taken
    await continueAsNew<typeof beingWorkflow>({
      ...input,
      life: {
        generation: life.generation,
        n: life.n,
        ...(life.idle === null ? {} : { idle: life.idle }),
      },
    })
  } catch (error) {
    if (!isSuperseded(error)) throw error // a younger life goes on; this one has nothing left to do
  }
}

async function begin({ being, life }: BeingInput): Promise<Life> {
  if (life !== undefined) return { being, idle: null, ...life, program: null }
  const chain = workflowInfo().firstExecutionRunId
  const { value: begun } = await localBeats('begin a life').beginLife({ being, chain })
  return { being, ...begun, program: null, idle: null }
}

/** Sleeps until something rings, or until the silence has lasted as long as the being bears it. */
async function sleepUntil(isRung: () => boolean, life: Life): Promise<void> {
  const { being, generation, n, idle } = life
  if (idle === null || !idle.armed) return condition(isRung)
  if (await condition(isRung, idle.seconds * 1000, { summary: `${idle.seconds} s of silence` })) return
  await localBeats('wake by itself').wakeIdle({ being, generation, n, seconds: idle.seconds })
  life.idle = { ...idle, armed: false }
}

/** Whoever may signal may send anything, and what no activity could be given would keep the being busy for ever. */
const ACT_BYTES_MAX = 16 * 1024

function isSmallJson(act: unknown): boolean {
  try {
    guardJson(act, { ...CONTENT_BOUNDS, bytesMax: ACT_BYTES_MAX })
    return true
  } catch {
    return false
  }
}

/** Puts acts that came as signals into the inbox, where all acts wait. */
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

/** For whoever looks at the Temporal UI. Search attributes change only when they do: each change is an event. */
function showStatus(life: Life, { opened, stack, stamped }: FinishedMoment): void {
  const role = stack?.primary.name ?? ''
  setCurrentDetails(
    `moment #${life.n - 1} · ${stackLabel(stack)} · ${stamped.kind}${stamped.reason === null ? '' : ` (${stamped.reason})`} · ` +
      `${stamped.waiting} waiting`,
  )
  const { typedSearchAttributes } = workflowInfo()
  const changed = []
  if (typedSearchAttributes.get(COGNITION) !== opened.cognition)
    changed.push({ key: COGNITION, value: opened.cognition })
  if (role !== '' && typedSearchAttributes.get(ROLE) !== role) changed.push({ key: ROLE, value: role })
  if (changed.length > 0) upsertSearchAttributes(changed)
}
