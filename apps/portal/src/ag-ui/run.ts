import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BaseEvent, EventType, type Interrupt, type ResumeEntry } from '@ag-ui/core'
import {
  type AnswerState,
  answerTo,
  closeInbox,
  converse,
  findKeyed,
  hearingAnswer,
  refusalOf,
  spokenText,
  summon,
  type ThreadLine,
  threadInChannel,
} from '@treeos/client'
import { type BeingName, isSameJson, type Json, quote, readPath, stanceOf, TreeosError } from '@treeos/core'
import { toldByApi } from '../edge/remedies.ts'
import type { Portal, Visit } from '../portal.ts'
import type { AgentRun } from './input.ts'

const WAIT_SECONDS = 300
const POLL_MS_MIN = 25
const POLL_MS_MAX = 500
const CALLS_EVERY_MS = 250

/** An event with the fields of its type. */
export type RunEvent = BaseEvent & Readonly<Record<string, unknown>>

interface RunDeps {
  readonly visit: Visit
  readonly being: BeingName
  /** where a person says yes */
  readonly page: string
  readonly signal: AbortSignal
  readonly listener: Portal['listener']
  readonly onError: Portal['onError']
  readonly send: (event: RunEvent) => Promise<void>
}

/**
 * One run of an agent: the last words of the user, said to the being in the thread that belongs to the
 * conversation of the client, and what comes of it as events. A yes that the being waits for ends the run
 * as an interrupt. Its person answers on the page, not by a client; the next run goes on with the same
 * question.
 */
export async function run(
  { threadId, runId, said, messageId, resume }: AgentRun,
  deps: RunDeps,
): Promise<void> {
  const { visit, being, send } = deps
  const [at, me] = [{ ...visit.at, isProgram: true as const }, visit.being]
  const of = { threadId, runId }
  await send({ type: EventType.RUN_STARTED, ...of })
  const words = new AnswerMessage(`${runId}/answer`, send)
  try {
    for (const entry of resume) requireNoAnswer(entry, deps.page)
    const channel = channelOf(me, being, threadId)
    const key = `ag-ui ${channel} ${messageId}`
    const earlier = (await findKeyed(at, { as: me, key }))?.call
    const isSaid = earlier?.verb === 'summon'
    const thread = (isSaid ? earlier.thread : await threadInChannel(at.db, me, channel)) ?? undefined
    const calls = new MadeCalls(at, me, words)
    const state = await hearingAnswer(
      { target: being, words: { listener: deps.listener, heard: (text) => words.tell(text) } },
      async (onSent) => {
        const sent = { target: being, content: said, thread, channel, as: me, waitSeconds: null, key }
        const { correlation } = await summon(at, { ...sent, onSent })
        return ended(correlation, at, deps, (so) => calls.tell(so))
      },
    )
    await words.end(state.reply === null ? null : spokenText(state.reply.content))
    const { thread: spokenIn, reply } = state
    const followed = calls.lines.find(({ id }) => id === reply?.id)?.followed
    const snapshot = {
      being: stanceOf(being),
      thread: spokenIn,
      ...(followed === undefined ? {} : { followed }),
    }
    await send({ type: EventType.STATE_SNAPSHOT, snapshot })
    await send(endOf(state, of, deps.page))
  } catch (error) {
    if (!(error instanceof TreeosError)) deps.onError('ag-ui', error)
    const { code, message } = toldByApi(refusalOf(error))
    await words.end(null) // clients refuse an error within a message
    await send({ type: EventType.RUN_ERROR, message, code })
  }
}

/** Whoever names the same conversation to another being, or as another person, speaks in another thread. */
const channelOf = (me: BeingName, being: BeingName, threadId: string): string =>
  `ag-ui:${createHash('sha256')
    .update(JSON.stringify([me, being, threadId]))
    .digest('hex')
    .slice(0, 32)}`

/** A client that sends a yes must not believe that it was given. @throws {TreeosError} FORBIDDEN */
function requireNoAnswer({ interruptId, payload }: ResumeEntry, page: string): void {
  if (payload !== undefined && payload !== null)
    throw new TreeosError(
      'FORBIDDEN',
      `resume: a client says neither yes nor no for its person, who answers ${quote(interruptId)} on the page: ${page}. Resume without a payload afterwards`,
    )
}

/** Waits until nothing is left to wait for but the person itself. @throws {TreeosError} TIMEOUT */
async function ended(
  id: string,
  at: Visit['at'],
  { visit: { being: me }, signal, being }: RunDeps,
  onState: (state: AnswerState) => Promise<void>,
): Promise<AnswerState> {
  let toldAt = Number.NEGATIVE_INFINITY
  const until = performance.now() + WAIT_SECONDS * 1000
  for (let pauseMs = POLL_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, POLL_MS_MAX)) {
    const state = await answerTo(at, me, id)
    // a thread may be long, so it is not read at each look
    if (state.state !== 'working' || performance.now() - toldAt > CALLS_EVERY_MS) {
      await onState(state)
      toldAt = performance.now()
    }
    if (state.reply !== null) await closeInbox(at, { as: me, how: 'read', entries: [state.reply.id] })
    if (state.state !== 'working') return state
    if (signal.aborted) throw new TreeosError('CANCELLED', 'nobody waits for the answer any more')
    if (performance.now() > until)
      throw new TreeosError(
        'TIMEOUT',
        `${stanceOf(being)} has not answered within ${WAIT_SECONDS} s; it goes on`,
      )
    await sleep(pauseMs)
  }
}

/** The words of an answer as one message, which begins with its first words. */
export class AnswerMessage {
  readonly #run: string
  readonly #send: RunDeps['send']
  #parts = 0
  #told = ''
  #begun = false
  /** events keep their order */
  #last: Promise<void> = Promise.resolve()

  constructor(id: string, send: RunDeps['send']) {
    this.#run = id
    this.#send = send
  }

  /** of the message that is written now */
  get #id(): string {
    return this.#parts === 0 ? this.#run : `${this.#run}-${this.#parts + 1}`
  }

  /** What happens between words: these are a message of their own, and so are those that come after it. */
  between(events: readonly RunEvent[]): void {
    if (events.length === 0) return
    if (this.#begun) {
      this.#put({ type: EventType.TEXT_MESSAGE_END, messageId: this.#id })
      this.#parts += 1
    }
    this.#begun = false
    this.#told = ''
    for (const event of events) this.#put(event)
  }

  tell(delta: string): void {
    if (delta === '') return
    if (!this.#begun)
      this.#put({ type: EventType.TEXT_MESSAGE_START, messageId: this.#id, role: 'assistant' })
    this.#begun = true
    this.#told += delta
    this.#put({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: this.#id, delta })
  }

  /** @param answer null where none came: then what was written stays as it is */
  async end(answer: string | null): Promise<void> {
    const text = answer?.trimStart() ?? ''
    if (answer !== null)
      this.tell(text.startsWith(this.#told) ? text.slice(this.#told.length) : `\n\n${answer}`)
    if (this.#begun) this.#put({ type: EventType.TEXT_MESSAGE_END, messageId: this.#id })
    await this.#last
  }

  #put(event: RunEvent): void {
    this.#last = this.#last.then(() => this.#send(event)).catch(() => undefined) // the reader has gone
  }
}

/** The calls that are made for the answer, told as they are made, as far as the person may read them. */
class MadeCalls {
  readonly #at: Visit['at']
  readonly #me: BeingName
  readonly #words: AnswerMessage
  readonly #told = new Set<string>()
  /** of the thread, as it was read last */
  lines: readonly ThreadLine[] = []

  constructor(at: Visit['at'], me: BeingName, words: AnswerMessage) {
    this.#at = at
    this.#me = me
    this.#words = words
  }

  async tell({ thread, said }: AnswerState): Promise<void> {
    if (said === null) return
    const { lines } = await converse(this.#at, this.#me, thread)
    this.lines = lines
    const asked = lines.findLastIndex(
      ({ from, content }) => from === stanceOf(this.#me) && isSameJson(content, said),
    )
    for (const line of lines.slice(asked + 1)) {
      const events = this.#told.has(line.id) ? [] : callEvents(line)
      this.#told.add(line.id)
      this.#words.between(events)
    }
  }
}

/** A call and what it gave; nothing for any other line. */
function callEvents({ id, content }: ThreadLine): RunEvent[] {
  const did = readPath(content, ['did'])
  const [, name] = typeof did === 'string' ? (/^did (\S+)/.exec(did) ?? []) : []
  if (name === undefined) return []
  const of = { toolCallId: id }
  return [
    { type: EventType.TOOL_CALL_START, ...of, toolCallName: name },
    { type: EventType.TOOL_CALL_ARGS, ...of, delta: argumentsIn(String(did)) },
    { type: EventType.TOOL_CALL_END, ...of },
    {
      ...{ type: EventType.TOOL_CALL_RESULT, ...of, messageId: `${id}/result`, role: 'tool' },
      content: JSON.stringify(readPath(content, ['result']) ?? null),
    },
  ]
}

/** The arguments of a deed as the record tells it. */
const argumentsIn = (did: string): string => /^.*? with (\{.*\})$/su.exec(did)?.[1] ?? '{}'

function endOf(
  { state, why, asks }: AnswerState,
  of: { readonly threadId: string; readonly runId: string },
  page: string,
): RunEvent {
  if (asks !== null)
    return {
      type: EventType.RUN_FINISHED,
      ...of,
      outcome: { type: 'interrupt', interrupts: [interruptOf(asks, why, page)] },
    }
  if (state === 'answered') return { type: EventType.RUN_FINISHED, ...of, outcome: { type: 'success' } }
  const code = state === 'failed' ? 'LLM_FAILED' : 'NO_ANSWER'
  return { type: EventType.RUN_ERROR, message: why ?? 'no answer was sent', code }
}

const interruptOf = (
  { id, call }: NonNullable<AnswerState['asks']>,
  why: string | null,
  page: string,
): Interrupt => ({
  id,
  reason: 'approval',
  message: `${why ?? 'it waits for your yes'}: answer on the page, ${page}`,
  metadata: { call: call satisfies Json, page },
})
