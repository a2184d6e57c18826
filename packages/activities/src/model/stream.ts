import { isJsonObject, type Json, type JsonObject } from '@treeos/core'
import type { Saying } from '@treeos/store'
import { createParser } from 'eventsource-parser'
import { parseJson } from './answer.ts'
import { CutStreamError } from './failures.ts'
import { ANSWER_BYTES_MAX, UnusableAnswerError } from './fetch.ts'

/** Most bytes read of a stream, which wraps each token in an event. */
const STREAM_BYTES_MAX = 64 * ANSWER_BYTES_MAX

/**
 * Reads a streamed answer to its end.
 * @param onSaying hears each piece as it comes
 * @returns the completion as the server would have sent it whole: message, reason of its end, and usage where the server sent any;
 *   undefined when an event is not JSON
 * @throws {UnusableAnswerError} for an answer that is too long; every other error is one of the connection
 */
export async function readStreamed(
  events: ReadableStream<Uint8Array>,
  onSaying: (saying: Saying) => void,
): Promise<unknown> {
  const answer = new AnswerSoFar()
  const waiting: { event: string | undefined; data: string }[] = []
  const parser = createParser({ onEvent: ({ event, data }) => waiting.push({ event, data }) })
  const decoder = new TextDecoder()
  let bytes = 0
  for await (const piece of events) {
    bytes += piece.length
    if (bytes > STREAM_BYTES_MAX)
      throw new UnusableAnswerError(`model answered with more than ${STREAM_BYTES_MAX} bytes of events`)
    parser.feed(decoder.decode(piece, { stream: true }))
    for (const { event, data } of waiting.splice(0)) {
      if (data === '[DONE]') return answer.completion()
      const chunk = parseJson(data)
      if (chunk === undefined) return undefined
      if (event === 'error' || (isJsonObject(chunk) && chunk.error)) throw new CutStreamError('an error came')
      for (const saying of answer.take(chunk)) onSaying(saying)
    }
  }
  return answer.completion()
}

interface CallSoFar {
  name: Json
  arguments: string
}

/** An answer that comes in pieces. What a server sends is checked, so that malformed pieces give a malformed answer at worst. */
class AnswerSoFar {
  #content = ''
  #refusal = ''
  readonly #calls = new Map<number, CallSoFar>()
  #finish: Json = null
  #usage: Json = null
  #length = 0

  take(chunk: unknown): Saying[] {
    if (!isJsonObject(chunk)) return []
    if (isJsonObject(chunk.usage)) this.#usage = chunk.usage // the last chunk has no choice
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
    if (!isJsonObject(choice)) return []
    if (choice.finish_reason != null) this.#finish = choice.finish_reason
    const delta = isJsonObject(choice.delta) ? choice.delta : {}
    const said = this.#takeWords(delta)
    const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : []
    const called = calls.flatMap((call, i) => (isJsonObject(call) ? this.#takeCall(call, i) : []))
    return [...said, ...called]
  }

  /** @throws {CutStreamError} when the server did not say why the answer ends */
  completion(): JsonObject {
    if (this.#finish === null) throw new CutStreamError('the stream was cut')
    const calls = [...this.#calls].sort(([a], [b]) => a - b).map(([, call]) => ({ function: { ...call } }))
    const message = {
      content: this.#content === '' ? null : this.#content,
      refusal: this.#refusal === '' ? null : this.#refusal,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }
    return { choices: [{ message, finish_reason: this.#finish }], usage: this.#usage }
  }

  #takeWords({ content, refusal }: JsonObject): Saying[] {
    const words = typeof content === 'string' ? content : ''
    const refused = typeof refusal === 'string' ? refusal : ''
    this.#content += words
    this.#refusal += refused
    return this.#said(null, words + refused)
  }

  /** The first piece of a call names its tool, and the others add to its arguments. */
  #takeCall(call: JsonObject, at: number): Saying[] {
    const index = Number.isSafeInteger(call.index) ? Number(call.index) : at
    const named = isJsonObject(call.function) ? call.function : {}
    const known = this.#calls.get(index) ?? { name: null, arguments: '' }
    const { name, arguments: args } = named
    if (name !== undefined && name !== null && name !== '') known.name = name
    const text = typeof args === 'string' ? args : ''
    known.arguments += text
    this.#calls.set(index, known)
    return this.#said(typeof known.name === 'string' ? known.name : '', text)
  }

  #said(tool: string | null, text: string): Saying[] {
    if (text === '') return []
    this.#length += text.length
    if (this.#length > ANSWER_BYTES_MAX)
      throw new UnusableAnswerError(`model answered with more than ${ANSWER_BYTES_MAX} characters`)
    return [{ tool, text }]
  }
}

/**
 * Whether an endpoint takes requests to stream. A server may refuse them. It is then asked again without, and when it answers, it is
 * never asked to stream again. When it refuses that too, the fault was another one.
 */
export class StreamTaking {
  #state: 'unknown' | 'taken' | 'suspected' | 'refused' = 'unknown'

  get mayAsk(): boolean {
    return this.#state === 'unknown' || this.#state === 'taken'
  }

  answered(streamed: boolean): void {
    if (streamed) this.#state = 'taken'
    else if (this.#state === 'suspected') this.#state = 'refused'
  }

  /** @param status of a refusal @returns whether to ask again without a stream */
  refused(streamed: boolean, status: number | undefined): boolean {
    if (!streamed) {
      if (this.#state === 'suspected') this.#state = 'unknown'
      return false
    }
    if (this.#state === 'taken' || (status !== 400 && status !== 422)) return false
    this.#state = 'suspected'
    return true
  }
}
