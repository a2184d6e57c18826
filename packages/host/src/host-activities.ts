/**
 * What workflows of a host do in a reality, as activities: each is an act of a person who lets workflows act
 * as it. Their inputs and results are in the history of the host's workflow, and in no being's.
 */

import { Context } from '@temporalio/activity'
import { ApplicationFailure, CancelledFailure } from '@temporalio/common'
import { act, type Connection, refusalOf, reply, see, summon } from '@treeos/client'
import {
  type BeingName,
  type ErrorCode,
  isJsonObject,
  type Json,
  type Priority,
  parseStance,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { requireBeing } from '@treeos/reality'
import { traceparentOf } from '@treeos/store'

/** As whom, and where, a workflow acts. */
interface HostRequest {
  /** the person as whom workflows act, as in `@orders`: one whose quality `wake.workflows` is true */
  readonly as: string
  /** name of the reality; needed where the worker lives several */
  readonly reality?: string
}

export interface HostSummon extends HostRequest {
  /** stance of the being, as in `@cashier` */
  readonly to: string
  readonly content: Json
  /** the thread that it continues, by its id; left out, it begins one */
  readonly thread?: string
  readonly priority?: Priority
  /** false: an announcement, which returns as soon as it is said */
  readonly expectReply?: false
  /**
   * names this summon: said again by the same person with the same key, it is not sent again. Left out: one
   * for each activity of a run, the same in all its attempts
   */
  readonly key?: string
}

/** What came of a summon. */
export interface HostAnswer {
  /** its id, and that of a thread which it began */
  readonly correlation: string
  /** the moment that answered; null for an announcement */
  readonly moment: string | null
  /** of the span of that moment, for traces: W3C Trace Context; null for an announcement */
  readonly traceparent: string | null
  /** null for an announcement */
  readonly reply: { readonly from: string; readonly content: Json } | null
}

export interface HostReply extends HostRequest {
  /** id of the open summon in the person's inbox, which is that of the moment that asked */
  readonly correlation: string
  readonly content: Json
}

export interface HostSignal extends HostRequest {
  readonly namespace: string
  /** dotted, as in `tick.alive` */
  readonly key: string
  /** null unsets */
  readonly value: Json
}

export interface HostLook extends HostRequest {
  /** as `treeos see` takes it */
  readonly address: string
}

/**
 * The activities that `treeos` registers for workflows of a host. Each fails with an `ApplicationFailure`
 * whose type is the code of the refusal and whose first detail says why. It is non-retryable where it is
 * final; TIMEOUT is not: the next attempt goes on waiting for the same summon.
 */
export interface HostActivities {
  /** Says something to a being, and waits for its answer for as long as the attempt may take. */
  treeosSummon(request: HostSummon): Promise<HostAnswer>
  /** Answers what a being asked this person. */
  treeosReply(request: HostReply): Promise<{ readonly correlation: string }>
  /** Publishes a signal of the world. */
  treeosSignal(request: HostSignal): Promise<null>
  /** Reads an address as the person, now. */
  treeosSee(request: HostLook): Promise<Json>
}

/** @param connect the reality of a running worker */
export function hostActivities(connect: () => Connection): HostActivities {
  return {
    treeosSummon: (request) =>
      failing('treeosSummon', async () => {
        const at = await actingAs(connect(), request)
        const { thread, priority, expectReply, content } = request
        const announces = expectReply === false
        const { cancellationSignal: signal } = Context.current()
        const { correlation, moment, reply } = await summon(at, {
          ...{ as: at.person, target: parseStance(request.to), content, thread, priority, expectReply },
          ...{ key: request.key ?? ownKey(), signal, requireReply: !announces },
          waitSeconds: announces ? null : secondsLeft(),
        })
        const act = moment?.act ?? null
        const traceparent = act === null ? null : traceparentOf(at.reality.id, thread ?? correlation, act)
        return { correlation, moment: act, traceparent, reply }
      }),
    treeosReply: (request) =>
      failing('treeosReply', async () => {
        const at = await actingAs(connect(), request)
        const { correlation, content } = request
        const said = { as: at.person, correlation, content, key: ownKey(), waitSeconds: null }
        return { correlation: (await reply(at, said)).correlation }
      }),
    treeosSignal: (request) =>
      failing('treeosSignal', async () => {
        const at = await actingAs(connect(), request)
        const { namespace, key, value } = request
        const args = { namespace, key, value }
        const call = { verb: 'do', operation: 'set-world-signal', target: null, args } as const
        await act(at, at.person, call, secondsLeft(), ownKey())
        return null
      }),
    treeosSee: (request) =>
      failing('treeosSee', async () => {
        const at = await actingAs(connect(), request)
        return (await see(at, at.person, request.address)) as unknown as Json
      }),
  }
}

/** @throws {TreeosError} FORBIDDEN for a being as whom no workflow acts */
async function actingAs(
  at: Connection,
  { as, reality }: HostRequest,
): Promise<Connection & { readonly person: BeingName }> {
  if (reality !== undefined && reality !== at.reality.name)
    throw new TreeosError('INVALID_INPUT', `this worker lives the reality ${at.reality.name}, not ${reality}`)
  const person = parseStance(as)
  const { cognition, parent, qualities } = await requireBeing(at, person)
  const { wake } = qualities
  if (cognition.kind === 'human' && parent !== null && isJsonObject(wake) && wake.workflows === true)
    return { ...at, person }
  const name = stanceOf(person)
  throw new TreeosError(
    'FORBIDDEN',
    `workflows do not act as ${name}: they act as a person other than the first operator that a maker gave to them, ` +
      `by treeos do ${name} set-being --args '{"field": "wake.workflows", "value": true}'`,
  )
}

/** The same in all attempts of one activity. */
function ownKey(): string {
  const { workflowExecution: run, activityId } = Context.current().info
  return `workflow/${run?.workflowId ?? ''}/${run?.runId ?? ''}/${activityId}`
}

/** The attempt itself tells that its time is over, before Temporal does. */
const BEFORE_END_MS = 1500

function secondsLeft(): number {
  const { currentAttemptScheduledTimestampMs: began, startToCloseTimeoutMs } = Context.current().info
  return Math.max(1, (startToCloseTimeoutMs - BEFORE_END_MS - (Date.now() - began)) / 1000)
}

/** Codes that another attempt may mend, unless a moment ended with them. */
const MENDABLE: readonly ErrorCode[] = ['TIMEOUT', 'SERVICE_UNAVAILABLE', 'RATE_LIMITED']

/** What is too large for a message goes by reference, through history as well. */
const adviceFor = (code: ErrorCode, message: string): string =>
  code === 'PAYLOAD_TOO_LARGE' ? `${message}: say an id, a URL or the address of a file instead` : message

const HEARTBEAT_MS = 3000

/**
 * @throws {ApplicationFailure} of the code as its type. Its message quotes nothing, since a codec does not
 *   cover it; its details do, and are covered
 */
async function failing<T>(name: string, work: () => Promise<T>): Promise<T> {
  const context = Context.current()
  const beat = setInterval(() => context.heartbeat(), HEARTBEAT_MS)
  try {
    return await work()
  } catch (error) {
    const { cancellationSignal: signal, info } = context
    if (signal.aborted && signal.reason instanceof CancelledFailure) throw signal.reason
    const refusal = refusalOf(error)
    const { code, message, detail } = refusal.toJSON()
    if (code === 'INTERNAL' && refusal !== error)
      context.log.error(`${name} failed`, { error, activityId: info.activityId })
    const isLived = isJsonObject(detail) && detail.outcome !== undefined && detail.outcome !== null
    throw ApplicationFailure.create({
      type: code,
      message: `${name}: ${code}`,
      nonRetryable: isLived || !MENDABLE.includes(code),
      details: [{ code, message: adviceFor(code, message), ...(detail === undefined ? {} : { detail }) }],
    })
  } finally {
    clearInterval(beat)
  }
}
