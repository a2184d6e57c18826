import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { temporal } from '@temporalio/proto'
import {
  type BeingName,
  isJsonObject,
  type Json,
  type MomentId,
  type PinnedStack,
  parseMomentId,
  readPath,
} from '@treeos/core'
import { type History, readArchive } from '@treeos/host'
import {
  type AttestedResult,
  beingWorkflowId,
  type EndedMoment,
  type LivedMoments,
  type OpenedMoment,
  type StampedMoment,
  type ThinkInput,
} from '@treeos/protocol'
import type { CommandKind } from '@treeos/workflows/strict'
import { decodeHistory, type TemporalEvent, type UndecodedPayload } from './decode-history.ts'

type Payloads = temporal.api.common.v1.IPayloads | null | undefined

export interface WorkflowRun {
  readonly workflowId: string
  readonly runId: string
  /** its payloads are plain JSON */
  readonly history: History
  /** left out: there is none */
  readonly undecoded?: UndecodedPayload
}

/** Ids of the runs that Temporal still has, by being. */
export type ListedRuns = ReadonlyMap<BeingName, readonly string[]>

/** Lists the runs of one being, or with one question those of all beings of a reality. */
export async function listRuns(
  client: Client,
  reality: string,
  being: BeingName | null,
): Promise<ListedRuns> {
  const beings = beingWorkflowId(reality, '')
  const query =
    being === null
      ? `WorkflowId STARTS_WITH "${beings}"`
      : `WorkflowId = "${beingWorkflowId(reality, being)}"`
  const listed = new Map<BeingName, string[]>()
  for await (const { workflowId, runId } of client.workflow.list({ query, pageSize: LIST_PAGE })) {
    const name = workflowId.slice(beings.length)
    listed.set(name, [...(listed.get(name) ?? []), runId])
  }
  return listed
}

const LIST_PAGE = 1000
const FETCHED_AT_ONCE = 8

/**
 * Every run of a being, oldest first: those that Temporal still has, and of the archive those that it no
 * longer has.
 * @param archive folder of archived histories; null when there is none
 * @param listed from `listRuns`; asked for when left out
 */
export async function fetchRuns(
  client: Client,
  reality: string,
  being: BeingName,
  archive: string | null,
  listed?: ListedRuns,
): Promise<WorkflowRun[]> {
  const workflowId = beingWorkflowId(reality, being)
  const kept = (listed ?? (await listRuns(client, reality, being))).get(being) ?? []
  const fetched = new Map<string, History>()
  for (let from = 0; from < kept.length; from += FETCHED_AT_ONCE) {
    const some = kept.slice(from, from + FETCHED_AT_ONCE)
    const histories = await Promise.all(some.map((runId) => fetchUnlessDeleted(client, workflowId, runId)))
    for (const [i, runId] of some.entries()) {
      const history = histories[i] ?? null
      if (history !== null) fetched.set(runId, history)
    }
  }
  const found =
    archive === null ? new Map<string, History>() : await readArchive(archive, being, new Set(fetched.keys()))
  for (const [runId, history] of fetched) found.set(runId, history)
  const runs: WorkflowRun[] = []
  for (const [runId, history] of found) {
    const undecoded = await decodeHistory(client, { workflowId, history })
    runs.push({ workflowId, runId, history, ...(undecoded === null ? {} : { undecoded }) })
  }
  return runs.sort((a, b) => startedAt(a.history) - startedAt(b.history))
}

/**
 * A run that was deleted after it was archived may be listed for a while.
 * @returns null when Temporal has it no more
 */
async function fetchUnlessDeleted(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<History | null> {
  try {
    return await client.workflow.getHandle(workflowId, runId).fetchHistory()
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null
    throw error
  }
}

/** ms since 1970 UTC */
function startedAt({ events }: History): number {
  const time = events?.[0]?.eventTime
  return Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6
}

/**
 * A command with its payloads. History holds no arguments of a local activity, but their digest is in its
 * result.
 */
export interface RecordedCommand {
  readonly kind: CommandKind
  readonly name: string
  /** JSON texts of the payloads, in order; for a local activity the digest of its argument */
  readonly carries: readonly string[]
}

/** The commands that a history records, in order. */
export const recordedCommands = ({ events }: History): RecordedCommand[] =>
  (events ?? []).flatMap((event) => commandIn(event) ?? [])

/**
 * The number of the moment that each event is of; before the first moment that of the first, or of what the
 * run begins with.
 */
export function momentsOfEvents({ events }: History): number[] {
  const begins = beginsWith(events ?? [])
  let n: number | null = null
  const numbers = (events ?? []).map((event) => {
    const before = n
    for (const step of saidIn(event))
      if ('opened' in step) n = following(n, parseMomentId(step.opened.moment).n, begins)
    return n !== before && before !== null ? before + 1 : n // the first one that it lives
  })
  const first = numbers.find((number) => number !== null) ?? begins ?? 1
  return numbers.map((number) => number ?? first)
}

/** Moments follow each other. What was changed in a history may say another number. */
function following(n: number | null, said: number, begins: number | null): number {
  if (n === null) return begins ?? said
  return said === n ? n : n + 1
}

/** Number of the moment that a run lives first; null when it does not say. */
const beginsWith = (events: readonly TemporalEvent[]): number | null => lifeAtBeginning(events, 'n')

/** The generation of the being that a run lives; null when it does not say. */
export const generationOf = ({ events }: History): number | null =>
  lifeAtBeginning(events ?? [], 'generation')

/** A run goes on with the life in its input, or begins one. */
function lifeAtBeginning(events: readonly TemporalEvent[], field: 'n' | 'generation'): number | null {
  const begun = events.flatMap((event) => localActivity(event) ?? []).find(({ type }) => type === 'beginLife')
  const [input] = decode(events[0]?.workflowExecutionStartedEventAttributes?.input)
  const value =
    readPath(input ?? null, ['life', field]) ?? readPath((begun?.result.value ?? null) as Json, [field])
  return typeof value === 'number' ? value : null
}

/** The same for each of the recorded commands. */
export function momentsOfCommands(history: History): number[] {
  const moments = momentsOfEvents(history)
  return (history.events ?? []).flatMap((event, i) => (commandIn(event) === null ? [] : (moments[i] ?? 0)))
}

function commandIn(event: TemporalEvent): RecordedCommand | null {
  const scheduled = event.activityTaskScheduledEventAttributes
  if (scheduled) {
    return { kind: 'activity', name: scheduled.activityType?.name ?? '', carries: texts(scheduled.input) }
  }
  const local = localActivity(event)
  if (local) return { kind: 'local', name: local.type, carries: [local.result.args] }
  const child = event.startChildWorkflowExecutionInitiatedEventAttributes
  if (child) return { kind: 'child', name: child.workflowType?.name ?? '', carries: texts(child.input) }
  const timer = event.timerStartedEventAttributes?.startToFireTimeout
  if (timer) {
    const ms = Number(timer.seconds ?? 0) * 1000 + (timer.nanos ?? 0) / 1e6
    return { kind: 'timer', name: '', carries: [JSON.stringify(ms)] }
  }
  const next = event.workflowExecutionContinuedAsNewEventAttributes
  if (next) return { kind: 'continue', name: '', carries: texts(next.input) }
  const fields = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields
  if (!fields) return null
  const names = Object.keys(fields).sort()
  return {
    kind: 'search',
    name: names.join(' '),
    carries: names.map((name) => payloadText(fields[name]?.data)),
  }
}

/** One moment as a history records it. */
export interface AttestedMoment {
  readonly opened: OpenedMoment
  /** null when `think` was not called */
  readonly thinkInput: ThinkInput | null
  /** what the worker says its flow gave; null when the moment is skipped */
  readonly workerStack: PinnedStack | null
  /** null while the moment is not finished */
  readonly stamped: StampedMoment | null
}

/** The moments of one run, in order. */
export function attestedMoments({ events }: History): AttestedMoment[] {
  const moments: { -readonly [Field in keyof AttestedMoment]: AttestedMoment[Field] }[] = []
  for (const event of events ?? []) {
    const scheduled = event.activityTaskScheduledEventAttributes
    const thinking = moments.at(-1)
    if (thinking !== undefined && scheduled?.activityType?.name === 'think')
      thinking.thinkInput = decode(scheduled.input)[0] as unknown as ThinkInput
    for (const step of saidIn(event)) {
      const current = moments.at(-1)
      if ('opened' in step) moments.push({ ...step, thinkInput: null, stamped: null })
      else if (current !== undefined) current.stamped = step.ended
    }
  }
  return moments
}

/**
 * Id of the event in which a history records the end of a moment, else that of its beginning; null when it
 * holds neither.
 */
export function eventOfMoment({ events }: History, moment: MomentId): string | null {
  let opened: string | null = null
  let isCurrent = false
  for (const event of events ?? []) {
    for (const step of saidIn(event)) {
      if ('opened' in step) isCurrent = step.opened.moment === moment
      if (isCurrent && 'ended' in step) return String(event.eventId)
      if (isCurrent) opened = String(event.eventId)
    }
  }
  return opened
}

const isStamped = (value: unknown): value is StampedMoment => isJsonObject(value) && 'record' in value

const isOpened = (value: unknown): value is OpenedMoment =>
  isJsonObject(value) && typeof value.moment === 'string'

/** A moment that an event opens or ends. */
type HistoryStep = Pick<AttestedMoment, 'opened' | 'workerStack'> | { readonly ended: StampedMoment }

/**
 * What an event says of moments, in order: those that a worker lived, and the one that the workflow goes on
 * with.
 */
function saidIn(event: TemporalEvent): HistoryStep[] {
  const local = localActivity(event)
  if (local === null) return []
  const { value } = local.result
  if (local.type === 'stampMoment') return endedIn(value)
  if (local.type !== 'liveMoments' || !isJsonObject(value)) return []
  const { lived, stop } = value as unknown as Partial<LivedMoments>
  const all: readonly unknown[] = Array.isArray(lived) ? lived : [] // somebody may have changed it
  return [...all, stop].flatMap(evaluatedIn)
}

/** A moment with what its worker says its flow gave, and its end where it has one. */
function evaluatedIn(value: unknown): HistoryStep[] {
  if (!isJsonObject(value)) return []
  const { opened, stack = null, ended } = value as unknown as Partial<EndedMoment>
  return isOpened(opened) ? [{ opened, workerStack: stack }, ...endedIn(ended)] : endedIn(ended)
}

const endedIn = (value: unknown): HistoryStep[] => (isStamped(value) ? [{ ended: value }] : [])

/** Reads a finished local activity. Temporal records it as a marker with its result. */
function localActivity(event: TemporalEvent): { type: string; result: AttestedResult<unknown> } | null {
  const marker = event.markerRecordedEventAttributes
  if (marker?.markerName !== 'core_local_activity') return null
  const about = decode(marker.details?.data)[0]
  const result = decode(marker.details?.result)[0]
  if (!isJsonObject(about) || !isJsonObject(result)) return null
  return { type: String(about.activity_type), result: result as unknown as AttestedResult<unknown> }
}

const texts = (payloads: Payloads): string[] =>
  (payloads?.payloads ?? []).map(({ data }) => payloadText(data))
export const payloadText = (data: Uint8Array | null | undefined): string =>
  Buffer.from(data ?? []).toString('utf8')

/** A payload that somebody changed may not be JSON any more. Then nothing attests what it stood for. */
const decode = (payloads: Payloads): (Json | undefined)[] =>
  texts(payloads).map((text) => {
    try {
      return JSON.parse(text) as Json
    } catch {
      return undefined
    }
  })
