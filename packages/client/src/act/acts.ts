import type { Client } from '@temporalio/client'
import {
  closeAsRead,
  enqueue,
  findEntry,
  findReply,
  type InboxEntry,
  listFactsOfMoment,
  readOutcomeOfWake,
  type StoredOutcome,
} from '@treeos/chain'
import {
  type ActContent,
  actWakeId,
  asJson,
  type BeingName,
  type ErrorCode,
  type FactRef,
  isErrorCode,
  type Json,
  newWake,
  PRIORITIES,
  type Priority,
  parseCall,
  parseStance,
  quote,
  readPath,
  requireContent,
  stanceOf,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import { taskQueueOf } from '@treeos/protocol'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import type { Registry } from '@treeos/world'
import { describeMoment, type MomentView } from '../read/moments.ts'
import { ringBeing } from './doorbell.ts'

/** Handles of a client. A client writes inbox rows only; the beings that it wakes do everything else. */
export interface Connection extends Presence {
  readonly temporal: Client
  readonly registry: Registry
}

/** Seconds to wait for a person's own act. No model call delays it. */
const ACT_WAIT_SECONDS = 30
const POLL_MS_MIN = 15
const POLL_MS_MAX = 250

/** The result of one act of a person. */
export interface ActResult {
  /** id of the moment that holds the act; null when the act was a SEE */
  readonly act: string | null
  readonly result: Json
  readonly facts: readonly FactRef[]
}

/**
 * Acts as a person's being: puts the act into the being's inbox, rings it, and waits for its moment to finish.
 * @throws {TreeosError} the code of a refusal; TIMEOUT when no worker finished the moment within 30 s
 */
export async function act(at: Connection, as: BeingName, call: VerbCall): Promise<ActResult> {
  const correlation = await submit(at, as, call, null)
  const outcome = await waitForOutcome(at, as, actWakeId(correlation), ACT_WAIT_SECONDS)
  return {
    act: outcome.record.act === null ? null : outcome.moment,
    result: outcome.result,
    facts: await listFactsOfMoment(at.db, outcome.moment),
  }
}

export interface SummonRequest {
  readonly target: BeingName
  readonly content: Json
  readonly as: BeingName
  readonly priority?: Priority | undefined
  /** the thread it continues, by its id; left out, it begins one */
  readonly thread?: string | undefined
  /** recorded in the fact, and read by nothing yet */
  readonly channel?: string | undefined
  readonly role?: string | undefined
  /** seconds to wait for the target's moment; null returns as soon as the summon is sent */
  readonly waitSeconds: number | null
}

export interface SummonResult {
  /** id of the summon */
  readonly correlation: string
  /** the moment of the target; null when `waitSeconds` was null */
  readonly moment: MomentView | null
  /** null when the target's moment sent no reply, or `waitSeconds` was null */
  readonly reply: { readonly from: string; readonly content: Json } | null
}

/**
 * Summons a being as a person.
 * @throws {TreeosError} the code of a refusal; while waiting also the code of a failed or skipped moment, or TIMEOUT
 */
export async function summon(at: Connection, request: SummonRequest): Promise<SummonResult> {
  const call = parseCall({
    verb: 'summon',
    target: stanceOf(request.target),
    content: requireContent(request.content, 'content'),
    ...(request.priority === undefined ? {} : { priority: request.priority }),
    ...(request.thread === undefined ? {} : { thread: request.thread }),
    ...(request.channel === undefined ? {} : { channel: request.channel }),
    ...(request.role === undefined ? {} : { role: request.role }),
  })
  return actAndWait(at, request.as, call, {
    answers: null,
    target: request.target,
    waitSeconds: request.waitSeconds,
  })
}

/**
 * Answers an open entry of a person's inbox, and closes it. The answer to a notice goes to the being that it tells of.
 * @throws {TreeosError} CORRELATION_NOT_FOUND; RESOURCE_CONFLICT when it was answered before
 */
export async function reply(
  at: Connection,
  request: { correlation: string; content: Json; as: BeingName; waitSeconds: number | null },
): Promise<SummonResult> {
  const entry = await findEntry(at.db, request.correlation)
  if (entry === null || entry.being !== request.as || entry.kind === 'act') {
    throw new TreeosError(
      'CORRELATION_NOT_FOUND',
      `the inbox of ${stanceOf(request.as)} has no summon ${quote(request.correlation)}; \`treeos inbox\` lists them`,
    )
  }
  const about = beingOfNotice(entry)
  const call = parseCall({
    verb: 'summon',
    content: requireContent(request.content, 'content'),
    ...(about === null ? {} : { target: stanceOf(about) }),
  })
  const target = entry.caller?.name ?? about ?? request.as
  return actAndWait(at, request.as, call, {
    answers: request.correlation,
    target,
    waitSeconds: request.waitSeconds,
  })
}

/** The being that a notice tells of: who gets the answer to it. Null for any other entry. */
function beingOfNotice({ isNotice, content }: InboxEntry): BeingName | null {
  const actor = isNotice ? readPath(content, ['actor']) : null
  return typeof actor === 'string' ? parseStance(actor) : null
}

async function actAndWait(
  at: Connection,
  as: BeingName,
  call: VerbCall,
  { answers, target, waitSeconds }: { answers: string | null; target: BeingName; waitSeconds: number | null },
): Promise<SummonResult> {
  const started = Date.now()
  const correlation = await submit(at, as, call, answers)
  await waitForOutcome(at, as, actWakeId(correlation), waitSeconds ?? ACT_WAIT_SECONDS)
  if (waitSeconds === null) return { correlation, moment: null, reply: null }
  const left = waitSeconds - (Date.now() - started) / 1000
  const outcome = await waitForOutcome(at, target, correlation, left)
  const answer = await findReply(at.db, as, correlation)
  if (answer !== null) await closeAsRead(at.db, answer.id)
  return {
    correlation,
    moment: await describeMoment(at.db, outcome),
    reply:
      answer === null ? null : { from: stanceOf(answer.caller?.name ?? target), content: answer.content },
  }
}

/** Puts an act into the inbox of the person's being and rings it. @returns the correlation that a summon will have */
async function submit(
  at: Connection,
  as: BeingName,
  call: VerbCall,
  answers: string | null,
): Promise<string> {
  const lease = await authorizeActingAs(at, as)
  const correlation = crypto.randomUUID()
  const content: ActContent = { call, answers, ...(lease === null ? {} : { lease }) }
  await enqueue(
    at.db,
    newWake({
      id: actWakeId(correlation),
      being: as,
      kind: 'act',
      priority: PRIORITIES.human,
      content: asJson(content),
      root: correlation,
    }),
  )
  await ringBeing(at.temporal, { reality: at.reality.name, taskQueue: taskQueueOf(at.reality.name) }, as)
  return correlation
}

/**
 * Waits until a wake is closed.
 * @throws {TreeosError} the code of a failed or skipped moment; TIMEOUT
 */
async function waitForOutcome(
  at: Pick<Connection, 'db'>,
  being: BeingName,
  wake: string,
  seconds: number,
): Promise<StoredOutcome> {
  const until = Date.now() + seconds * 1000
  for (let wait = POLL_MS_MIN; ; wait = Math.min(wait * 1.5, POLL_MS_MAX)) {
    const outcome = await readOutcomeOfWake(at.db, wake)
    if (outcome !== null) return requireSuccess(outcome)
    if (Date.now() > until) {
      throw new TreeosError(
        'TIMEOUT',
        `${stanceOf(being)} has not lived the moment within ${seconds.toFixed(0)} s; it goes on, and \`treeos moments ${stanceOf(being)}\` will show it`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

function requireSuccess(outcome: StoredOutcome): StoredOutcome {
  if (outcome.kind === 'act' || outcome.kind === 'see') return outcome
  const code: ErrorCode =
    outcome.kind === 'skipped'
      ? 'ROLE_UNAVAILABLE'
      : isErrorCode(outcome.reason ?? '')
        ? (outcome.reason as ErrorCode)
        : 'INTERNAL'
  const why =
    outcome.detail ?? `the moment of ${stanceOf(outcome.being)} was ${outcome.kind}: ${outcome.reason}`
  throw new TreeosError(code, why, { moment: outcome.moment, outcome: outcome.kind, reason: outcome.reason })
}
