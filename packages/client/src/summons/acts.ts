import type { Client } from '@temporalio/client'
import {
  type ActContent,
  APPROVED_PREFIX,
  actWakeId,
  asJson,
  type BeingName,
  canonicalJson,
  type FactRef,
  type Json,
  LIMITS,
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
  utf8Length,
  type VerbCall,
  type Wake,
} from '@treeos/core'
import type { Overlay } from '@treeos/overlay'
import { taskQueueOf } from '@treeos/protocol'
import { authorizeActingAs, type SealedAct, sealingOf } from '@treeos/reality'
import { closeEntries, enqueue, findEntry, type InboxEntry, listFactsOfMoment, withdraw } from '@treeos/store'
import type { Registry } from '@treeos/world'
import { suggesting } from '../addresses/suggesting.ts'
import { describeMoment, type MomentView } from '../moments/moments.ts'
import { type OverlayConnection, putOverlay } from '../overlays/thread-overlays.ts'
import { ringUnlessListening } from './doorbell.ts'
import { explaining } from './explaining.ts'
import { isWithdrawn, keyedCorrelation } from './keyed.ts'
import { refusalOf } from './refusal.ts'
import { passkeysOf, type SignAct, signedCorrelation } from './signing.ts'
import { isFromOutside } from './strangers.ts'
import { noAnswer, waitForEnd } from './waiting.ts'

/** Handles of a client. A client writes inbox rows only; the beings that it wakes do everything else. */
export interface Connection extends OverlayConnection {
  readonly temporal: Client
  readonly registry: Registry
  /** asks for the signature of a person that has a passkey for what it does; left out where acts are not signed */
  readonly sign?: SignAct
  /** a program outside acts here, by an access token or over MCP: what it says to strangers is from outside, whether it says so or not */
  readonly isProgram?: true
}

/** Seconds to wait for a person's own act. No model call delays it. */
const ACT_WAIT_SECONDS = 30

/** The result of one act of a person. */
export interface ActResult {
  /** id of the moment that holds the act; null when the act was a SEE */
  readonly act: string | null
  readonly result: Json
  readonly facts: readonly FactRef[]
  /** of a call that waits for a yes, whose it waits for; left out for a call that was done */
  readonly waiting?: Json
}

/**
 * Acts as a person's being: puts the act into the being's inbox, rings it, and waits for its moment to finish.
 * @param key as `key` of a {@link SummonRequest}
 * @param outside as there
 * @throws {TreeosError} the code of a refusal; TIMEOUT when no worker finished the moment within `waitSeconds`, 30 unless given
 */
export async function act(
  at: Connection,
  as: BeingName,
  call: VerbCall,
  waitSeconds = ACT_WAIT_SECONDS,
  key?: string,
  outside = false,
): Promise<ActResult> {
  const { correlation } = await submit(at, as, call, { answers: null, key, outside })
  const { outcome } = await telling(at, { as, call }, waitForOwnMoment(at, as, correlation, waitSeconds))
  const isWaiting = outcome.kind === 'waiting'
  return {
    act: outcome.record.act === null ? null : outcome.moment,
    result: isWaiting ? null : outcome.result,
    facts: await listFactsOfMoment(at.db, outcome.moment),
    ...(isWaiting ? { waiting: outcome.result } : {}),
  }
}

export interface SummonRequest {
  readonly target: BeingName
  readonly content: Json
  readonly as: BeingName
  readonly priority?: Priority | undefined
  /** the thread it continues, by its id; left out, it begins one */
  readonly thread?: string | undefined
  /** the name of the conversation it is said in */
  readonly channel?: string | undefined
  /** text for the model call of the target; only an opaque handle of it is recorded */
  readonly overlay?: Overlay | undefined
  readonly role?: string | undefined
  /** false: an announcement, and a being that is not a person sends no answer; left out, it may answer */
  readonly expectReply?: boolean | undefined
  /** true: the words came from outside of the reality, as those of a message, a page or an agent of others; left out, they are the person's own */
  readonly outside?: boolean | undefined
  /** seconds to wait for the end of the target's moment and of all its looks; null returns as soon as the summon is sent */
  readonly waitSeconds: number | null
  /** true: an end without a reply is the error NO_ANSWER */
  readonly requireReply?: boolean
  /** names this request: asked again by the same being with the same key, it is not sent again, and has the same result */
  readonly key?: string | undefined
  /** ends the waiting. What was sent goes on, and its answer comes to the inbox */
  readonly signal?: AbortSignal | undefined
  /** hears the correlation as soon as the summon is in the inbox of its sender; a thread that it begins has the same id */
  readonly onSent?: (correlation: string) => void
}

export interface SummonResult {
  /** id of the summon */
  readonly correlation: string
  /** the last moment of the target, or of a person the one that answered; null when `waitSeconds` was null */
  readonly moment: MomentView | null
  /** null when the target sent no reply, or `waitSeconds` was null */
  readonly reply: { readonly from: string; readonly content: Json } | null
  /** proves, with the text, that the commitment in the record of the moment is of this overlay; left out without one */
  readonly overlay?: { readonly salt: string }
  /** of a summon that waits for a yes before it is sent, whose it waits for; left out for one that was sent */
  readonly waiting?: Json
}

/**
 * Summons a being as a person. It enqueues an act in the person's own inbox, and the moment of the person makes the summon: see
 * docs/the-way-of-a-summon.md.
 * @throws {TreeosError} the code of a refusal; while waiting also the code of a failed or skipped moment, RESOURCE_CONFLICT
 *   when the thread is cut, NO_ANSWER when a person closes the summon unanswered, or TIMEOUT
 */
export async function summon(at: Connection, request: SummonRequest): Promise<SummonResult> {
  const content = requireContent(request.content, 'content')
  const overlay =
    request.overlay === undefined
      ? null
      : await putOverlay(at, { use: 'call', of: request.as }, request.overlay, request.key)
  const call = parseCall({
    verb: 'summon',
    target: stanceOf(request.target),
    content,
    ...(request.priority === undefined ? {} : { priority: request.priority }),
    ...(request.thread === undefined ? {} : { thread: request.thread }),
    ...(request.channel === undefined ? {} : { channel: request.channel }),
    ...(request.role === undefined ? {} : { role: request.role }),
    ...(request.expectReply === undefined ? {} : { expectReply: request.expectReply }),
    ...(overlay === null ? {} : { overlay: overlay.handle }),
  })
  const { isNew, ...summoned } = await actAndWait(at, request.as, call, { ...request, answers: null })
  // The record names the overlay that came with the first request: the salt of a later one proves nothing.
  return overlay === null || !isNew ? summoned : { ...summoned, overlay: { salt: overlay.salt } }
}

/**
 * Answers an open entry of a person's inbox, and closes it. The answer to a notice goes to the being that it tells of.
 * @throws {TreeosError} CORRELATION_NOT_FOUND; RESOURCE_CONFLICT when it was answered before
 */
export async function reply(
  at: Connection,
  request: Pick<
    SummonRequest,
    'content' | 'as' | 'expectReply' | 'outside' | 'waitSeconds' | 'requireReply' | 'key' | 'signal'
  > & {
    readonly correlation: string
  },
): Promise<SummonResult> {
  const entry = await findEntry(at.db, request.correlation)
  if (entry === null || entry.being !== request.as || entry.kind === 'act') {
    throw new TreeosError(
      'CORRELATION_NOT_FOUND',
      `the inbox of ${stanceOf(request.as)} has no summon ${quote(request.correlation)}; \`treeos inbox\` lists them`,
    )
  }
  const about = beingOfNotice(entry)
  const { expectReply } = request
  const call = parseCall({
    verb: 'summon',
    content: requireContent(request.content, 'content'),
    ...(about === null ? {} : { target: stanceOf(about) }),
    ...(expectReply === undefined ? {} : { expectReply }),
  })
  const target = entry.caller?.name ?? about ?? request.as
  const { isNew: _isNew, ...answered } = await actAndWait(at, request.as, call, {
    ...request,
    answers: request.correlation,
    target,
  })
  return answered
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
  {
    answers,
    target,
    waitSeconds,
    requireReply = false,
    key,
    signal,
    onSent,
    outside = false,
  }: Pick<
    SummonRequest,
    'target' | 'waitSeconds' | 'requireReply' | 'key' | 'signal' | 'onSent' | 'outside'
  > & {
    readonly answers: string | null
  },
): Promise<SummonResult & Submitted> {
  const started = Date.now()
  const submitted = await submit(at, as, call, { answers, to: target, key, outside })
  onSent?.(submitted.correlation)
  const ownSeconds = waitSeconds ?? ACT_WAIT_SECONDS
  const ownMoment = waitForOwnMoment(at, as, submitted.correlation, ownSeconds, waitSeconds !== null)
  const own = await telling(at, { as, call }, ownMoment)
  // What a person said yes to is said by another moment, whose id it has.
  const isApproved = own.outcome.wake?.startsWith(APPROVED_PREFIX) === true
  const correlation = isApproved ? own.outcome.moment : submitted.correlation
  const sent = { correlation, isNew: submitted.isNew }
  const waiting = own.outcome.kind === 'waiting' ? { waiting: own.outcome.result } : {}
  if (waitSeconds === null) return { ...sent, moment: null, reply: null, ...waiting }
  const left = waitSeconds - (Date.now() - started) / 1000
  const { outcome, reply } = await waitForEnd(at, { asker: as, being: target, correlation }, left, signal)
  const moment = await describeMoment(at.db, outcome)
  if (reply === null) {
    if (requireReply) throw noAnswer(outcome, moment.content ?? null)
    return { ...sent, moment, reply }
  }
  await closeEntries(at.db, as, [reply.id], 'read')
  const from = stanceOf(reply.caller?.name ?? target)
  return { ...sent, moment, reply: { from, content: reply.content } }
}

/** Waits for the outcome of a being's call. A refusal then also says what the being may do instead. */
const telling = <T>(
  at: Connection,
  { as, call }: { readonly as: BeingName; readonly call: VerbCall },
  asked: Promise<T>,
): Promise<T> => suggesting(at, as, explaining(at.db, { as, call }, asked))

/** Waits for the end of an act that was submitted as the being. */
const waitForOwnMoment = (
  { db }: Pick<Connection, 'db'>,
  as: BeingName,
  correlation: string,
  seconds: number,
  throughAsk = false,
) => waitForEnd({ db }, { asker: as, being: as, correlation: actWakeId(correlation), throughAsk }, seconds)

interface Submitted {
  /** the one that a summon will have */
  readonly correlation: string
  /** false: an earlier request with the same key had put it there */
  readonly isNew: boolean
}

/** Puts an act into the inbox of the person's being and rings it. */
async function submit(
  at: Connection,
  as: BeingName,
  call: VerbCall,
  {
    answers,
    to,
    key,
    outside: saysSo,
  }: {
    readonly answers: string | null
    /** who hears it, of a summon that is waited for */
    readonly to?: BeingName
    readonly key: string | undefined
    readonly outside: boolean
  },
): Promise<Submitted> {
  const lease = await authorizeActingAs(at, as)
  const given = asRead(call)
  const outside = saysSo || (at.isProgram === true && (await isFromOutside(at, { as, call: given, to })))
  const signer = lease?.driver ?? as
  const sealing = await sealingOf(at, as, given)
  if (sealing !== null && at.sign !== undefined) await requireUnsigned(at, signer, sealing)
  const signing =
    sealing === null ? ((await at.sign?.({ being: as, signer, call: given, answers })) ?? null) : null
  for (let attempt = 0; ; attempt++) {
    // A signature names its act by itself.
    const correlation =
      signing !== null
        ? signedCorrelation(signing.salt)
        : key === undefined
          ? crypto.randomUUID()
          : keyedCorrelation({ as, key, attempt })
    const id = actWakeId(correlation)
    const content: ActContent = {
      call: sealing === null ? given : await sealing.seal(id, () => findCall(at, id)),
      answers,
      ...(lease === null ? {} : { lease }),
      ...(signing ?? {}),
    }
    requireSmall(content)
    const wake = newWake({
      id,
      being: as,
      kind: 'act',
      priority: PRIORITIES.human,
      content: asJson(content),
      root: correlation,
      ...(outside ? { outside } : {}),
    })
    const isNew = await put(at, wake, key === undefined)
    if (isNew) return { correlation, isNew }
    if (signing !== null) await requireSame(at, wake)
    if (signing !== null || !(await isWithdrawn(at.db, wake.id, content))) return { correlation, isNew }
  }
}

/** The call of an act that is in the inbox; null for none. */
const findCall = async ({ db }: Connection, id: string): Promise<VerbCall | null> => {
  const entry = await findEntry(db, id)
  return entry === null ? null : (entry.content as unknown as ActContent).call
}

/**
 * A signed act is recorded with exactly the words that were signed, so its text cannot be sealed first.
 * @throws {TreeosError} INVALID_INPUT when the person has a passkey, and so signs its acts
 */
async function requireUnsigned(at: Connection, signer: BeingName, { operation }: SealedAct): Promise<void> {
  if ((await passkeysOf(at, signer)).length > 0)
    throw new TreeosError(
      'INVALID_INPUT',
      `${operation} keeps its text sealed, and ${stanceOf(signer)} signs its acts with a passkey, as they are recorded: let another being do it`,
    )
}

/**
 * @param isOwn no other request puts an act with this id there
 * @returns false when the inbox has an act with this id already
 */
async function put(at: Connection, wake: Wake, isOwn: boolean): Promise<boolean> {
  let isNew: boolean | null = null
  try {
    isNew = await enqueue(at.db, 'act', wake)
    const place = { reality: at.reality.name, taskQueue: taskQueueOf(at.reality.name) }
    await ringUnlessListening(at.db, at.temporal, place, wake.being)
    return isNew
  } catch (error) {
    if (isOwn || isNew === true) await takeBack(at, wake, error)
    else leaveThere(wake, error)
    return true
  }
}

/**
 * The act may be that of an earlier request with the same key, whose sender was told that it is there: it is not taken back.
 * @throws {TreeosError} SERVICE_UNAVAILABLE; or the error itself
 */
function leaveThere(wake: Wake, error: unknown): never {
  if (refusalOf(error).code !== 'SERVICE_UNAVAILABLE') throw error
  throw new TreeosError(
    'SERVICE_UNAVAILABLE',
    'a service is unavailable: the act may still be done; send it again with the same key, which tells what came of it',
    { act: wake.id, withdrawn: false },
  )
}

/** A request with the same signature finds the act of the first one. @throws {TreeosError} RESOURCE_CONFLICT for another act */
async function requireSame({ db }: Connection, { id, being, content }: Wake): Promise<void> {
  const entry = await findEntry(db, id)
  if (entry?.being !== being || canonicalJson(entry.content) !== canonicalJson(content))
    throw new TreeosError('RESOURCE_CONFLICT', 'another act was signed with this salt: sign it again')
}

/** A call as its moment reads it, since append compares the two. One that cannot be read fails its moment. */
function asRead(call: VerbCall): VerbCall {
  try {
    return parseCall(call)
  } catch {
    return call
  }
}

/** @throws {TreeosError} PAYLOAD_TOO_LARGE */
function requireSmall(content: ActContent): void {
  const bytes = utf8Length(canonicalJson(content))
  if (bytes <= LIMITS.actBytesMax) return
  throw new TreeosError(
    'PAYLOAD_TOO_LARGE',
    `the act is ${bytes} bytes, at most ${LIMITS.actBytesMax} are taken`,
  )
}

/**
 * Takes an act back whose being could not be rung. Otherwise a sweep would ring for it later, and it would be done although its
 * person was told that it was not. Returns when a moment has claimed the act meanwhile: it is done then.
 * @throws {TreeosError} SERVICE_UNAVAILABLE, which says whether the act may still be done; or the error itself
 */
async function takeBack(at: Connection, wake: Wake, error: unknown): Promise<void> {
  const isWithdrawn = await withdraw(at.db, wake).catch(() => null)
  if (isWithdrawn === false) return
  if (refusalOf(error).code !== 'SERVICE_UNAVAILABLE') throw error
  const detail = { act: wake.id, withdrawn: isWithdrawn === true }
  throw new TreeosError(
    'SERVICE_UNAVAILABLE',
    isWithdrawn === true
      ? 'a service is unavailable: the act was taken back, and will not be done; try again in a few seconds'
      : 'a service is unavailable, and the act could not be taken back: it may still be done; ' +
          `look at \`treeos moments ${stanceOf(wake.being)}\` before you try again`,
    detail,
  )
}
