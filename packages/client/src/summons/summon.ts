import {
  APPROVED_PREFIX,
  type BeingName,
  type Json,
  type Priority,
  parseCall,
  requireContent,
  stanceOf,
  type VerbCall,
  wordsWith,
} from '@treeos/core'
import type { Overlay } from '@treeos/overlay'
import { closeEntries, closeHosted } from '@treeos/store'
import { describeMoment } from '../moments/lived-moments.ts'
import type { MomentView } from '../moments/moments.ts'
import { putOverlay } from '../overlays/thread-overlays.ts'
import { type AnswerHearer, hearingAnswer } from './answer-words.ts'
import type { Connection } from './connection.ts'
import { type FileInput, giveFiles } from './files.ts'
import { type SubmittedAct, submit } from './submit.ts'
import { noAnswer, OWN_SECONDS, waitForEnd, waitForOwnMoment } from './wait-for-end.ts'

export interface SummonRequest {
  readonly target: BeingName
  readonly content: Json
  /** files that the words bring: each becomes a thing of the sender */
  readonly files?: readonly FileInput[] | undefined
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
  /**
   * true: the words came from outside of the reality, as those of a message, a page or an agent of others;
   * left out, they are the person's own
   */
  readonly outside?: boolean | undefined
  /**
   * seconds to wait for the end of the target's moment and of all its looks; null returns as soon as the
   * summon is sent
   */
  readonly waitSeconds: number | null
  /** true: an end without a reply is the error NO_ANSWER */
  readonly requireReply?: boolean
  /**
   * names this request: asked again by the same being with the same key, it is not sent again, and has the
   * same result
   */
  readonly key?: string | undefined
  /** ends the waiting. What was sent goes on, and its answer comes to the inbox */
  readonly signal?: AbortSignal | undefined
  /** hears the words of the answer while a model writes them; not those of an answer by a tool */
  readonly words?: AnswerHearer | undefined
  /**
   * hears the correlation as soon as the summon is in the inbox of its sender; a thread that it begins has
   * the same id
   */
  readonly onSent?: (correlation: string) => void
}

export interface SummonResult {
  /** id of the summon */
  readonly correlation: string
  /** the last moment of the target, or of a person the one that answered; null when `waitSeconds` was null */
  readonly moment: MomentView | null
  /** null when the target sent no reply, or `waitSeconds` was null */
  readonly reply: { readonly from: string; readonly content: Json } | null
  /**
   * proves, with the text, that the commitment in the record of the moment is of this overlay; left out
   * without one
   */
  readonly overlay?: { readonly salt: string }
  /**
   * of a summon that waits for a yes before it is sent, whose it waits for; left out for one that was sent
   */
  readonly waiting?: Json
}

/**
 * Summons a being as a person. It enqueues an act in the person's own inbox, and the moment of the person
 * makes the summon: see docs/the-way-of-a-summon.md.
 * @throws {TreeosError} the code of a refusal; while waiting also the code of a failed or skipped moment,
 *   RESOURCE_CONFLICT when the thread is cut, NO_ANSWER when a person closes the summon unanswered, or
 *   TIMEOUT
 */
export async function summon(at: Connection, request: SummonRequest): Promise<SummonResult> {
  const { files = [], key } = request
  const things = await giveFiles(at, request.as, files, key)
  const content = requireContent(wordsWith(request.content, things), 'content')
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
  const { isNew, ...summoned } = await hearingAnswer(request, (onSent) =>
    sendAndWait(at, request.as, call, { ...request, onSent, answers: null }),
  )
  // The record names the overlay that came with the first request: the salt of a later one proves nothing.
  return overlay === null || !isNew ? summoned : { ...summoned, overlay: { salt: overlay.salt } }
}

/** Sends a summon or an answer, and waits for what comes of it. */
export async function sendAndWait(
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
): Promise<SummonResult & SubmittedAct> {
  const started = Date.now()
  const submitted = await submit(at, as, call, { answers, key, outside })
  onSent?.(submitted.correlation)
  const own = await waitForOwnMoment(
    at,
    { as, call, correlation: submitted.correlation },
    waitSeconds ?? OWN_SECONDS,
    waitSeconds !== null,
  )
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
  if (at.isHosted === true) await closeHosted(at.db, as, reply.id)
  else await closeEntries(at.db, as, [reply.id], 'read')
  const from = stanceOf(reply.caller?.name ?? target)
  return { ...sent, moment, reply: { from, content: reply.content } }
}
