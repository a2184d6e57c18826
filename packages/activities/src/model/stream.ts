import { isJsonObject, type Json, type JsonObject, utf8Length } from '@treeos/core'
import type { WordPiece } from '@treeos/store'
import { createParser } from 'eventsource-parser'
import { CutStreamError } from './failures.ts'
import { ANSWER_BYTES_MAX, UnusableAnswerError } from './fetch.ts'
import { parseJson } from './reading/arguments.ts'
import { isCallPart, partText } from './reading/message.ts'

/** Most bytes read of a stream, which wraps each token in an event. */
const STREAM_BYTES_MAX = 64 * ANSWER_BYTES_MAX

/**
 * Reads a streamed answer to its end.
 * @param onSaying hears each piece as it comes
 * @param chunksOf translates an event of another API to chunks of Chat Completions
 * @returns the completion as the server would have sent it whole: message, reason of its end, and usage where
 *   the server sent any; an error that came in its place; undefined when an event is not JSON
 * @throws {UnusableAnswerError} for an answer that is too long; every other error is one of the connection
 */
export async function readStreamed(
  events: AsyncIterable<Uint8Array>,
  onSaying: (saying: WordPiece) => void,
  chunksOf: (event: unknown) => readonly unknown[] = (event) => [event],
): Promise<unknown> {
  const answer = new AnswerSoFar()
  const waiting: { event: string | undefined; data: string }[] = []
  const parser = createParser({ onEvent: ({ event, data }) => waiting.push({ event, data }) })
  const decoder = new TextDecoder()
  let bytes = 0
  /** @returns null when the stream goes on */
  const take = (): { completion: unknown } | null => {
    for (const { event, data } of waiting.splice(0)) {
      if (data.trim() === '[DONE]') return { completion: answer.completion(true) }
      const chunk = parseJson(data)
      if (chunk === undefined) return { completion: undefined }
      const error = errorIn(event, chunk)
      if (error !== null) return { completion: { ...error, usage: answer.usage, received: answer.received } }
      for (const one of chunksOf(chunk)) for (const saying of answer.take(one)) onSaying(saying)
    }
    return null
  }
  for await (const piece of events) {
    bytes += piece.length
    if (bytes > STREAM_BYTES_MAX)
      throw new UnusableAnswerError(`model answered with more than ${STREAM_BYTES_MAX} bytes of events`)
    parser.feed(decoder.decode(piece, { stream: true }))
    const end = take()
    if (end !== null) return end.completion
  }
  parser.feed('\n\n') // some servers leave out the empty line after the last event
  const end = take()
  return end === null ? answer.completion(false) : end.completion
}

/** An error in place of the rest. Servers send it as an event of that name, or as a chunk. */
function errorIn(event: string | undefined, chunk: unknown): JsonObject | null {
  if (isJsonObject(chunk) && chunk.error) return { error: chunk.error }
  if (isJsonObject(chunk) && chunk.object === 'error') return { error: chunk }
  return event === 'error' ? { error: isJsonObject(chunk) ? chunk : {} } : null
}

const CALL_TOKENS_MAX = 64

interface CallSoFar {
  id: string
  index: number | null
  name: Json
  arguments: string
  /** its arguments are whole: no piece can follow */
  isWhole: boolean
}

/**
 * An answer that comes in pieces. What a server sends is checked, so that malformed pieces give a malformed
 * answer at worst.
 */
class AnswerSoFar {
  #content = ''
  #refusal = ''
  readonly #calls: CallSoFar[] = []
  #finish: Json = null
  #usage: Json = null
  #model: Json = null
  #length = 0
  /** UTF-8 bytes of what was received, thinking too */
  #bytes = 0

  /**
   * the most model tokens that were received: a token has at least one byte, and a template adds some around
   * a call
   */
  get received(): number {
    return this.#bytes + CALL_TOKENS_MAX * this.#calls.length
  }

  get usage(): Json {
    return this.#usage
  }

  take(chunk: unknown): WordPiece[] {
    if (!isJsonObject(chunk)) return []
    const usage = [chunk.usage, isJsonObject(chunk.x_groq) ? chunk.x_groq.usage : null].find(isJsonObject)
    if (usage !== undefined) this.#usage = usage // the last one counts, often in a chunk without a choice
    if (typeof chunk.model === 'string') this.#model = chunk.model
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
    if (!isJsonObject(choice)) return []
    if (choice.finish_reason != null) this.#finish = choice.finish_reason
    const delta = this.#deltaOf(choice)
    const said = this.#takeWords(delta)
    for (const thinking of [delta.reasoning_content, delta.reasoning, delta.thinking])
      if (typeof thinking === 'string') this.#bytes += utf8Length(thinking)
    const legacy = isJsonObject(delta.function_call) ? [{ index: 0, function: delta.function_call }] : []
    const parts = Array.isArray(delta.content) ? delta.content : []
    const inParts = parts.filter((part) => isJsonObject(part) && isCallPart(part))
    const calls = [...(Array.isArray(delta.tool_calls) ? delta.tool_calls : legacy), ...inParts]
    const called = calls.flatMap((call) => (isJsonObject(call) ? this.#takeCall(call, calls.length) : []))
    return [...said, ...called]
  }

  /**
   * @param isEnded the server said that the stream is over
   * @throws {CutStreamError} when it did not say so, and not why the answer ends
   */
  completion(isEnded: boolean): JsonObject {
    if (this.#finish === null && !isEnded) throw new CutStreamError('the stream was cut')
    const calls = this.#inOrder().map((call) => ({
      function: { name: call.name, arguments: call.arguments },
    }))
    const message = {
      content: this.#content === '' ? null : this.#content,
      refusal: this.#refusal === '' ? null : this.#refusal,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }
    return {
      choices: [{ message, finish_reason: this.#finish }],
      usage: this.#usage,
      received: this.received,
      ...(this.#model === null ? {} : { model: this.#model }),
    }
  }

  #inOrder(): readonly CallSoFar[] {
    const isCounted = this.#calls.every(({ index }) => index !== null)
    return isCounted ? this.#calls.toSorted((a, b) => a.index! - b.index!) : this.#calls
  }

  /** Some servers send the whole message at once, in a chunk. After pieces it only repeats them. */
  #deltaOf({ delta, message }: JsonObject): JsonObject {
    if (isJsonObject(delta)) return delta
    const isFirst = this.#length === 0 && this.#calls.length === 0
    return isFirst && isJsonObject(message) ? message : {}
  }

  #takeWords({ content, refusal }: JsonObject): WordPiece[] {
    const words = Array.isArray(content) ? content.map(partText).join('') : partText(content ?? '')
    const refused = typeof refusal === 'string' ? refusal : ''
    this.#content += words
    this.#refusal += refused
    return this.#said(null, words + refused)
  }

  /** The first piece of a call names its tool, and the others add to its arguments. */
  #takeCall(piece: JsonObject, piecesInChunk: number): WordPiece[] {
    const { name, arguments: args = piece.input } = isJsonObject(piece.function) ? piece.function : piece
    const call = this.#callOf(piece, typeof name === 'string' ? name : '', args, piecesInChunk)
    if (name !== undefined && name !== null && name !== '') call.name = name
    const text = typeof args === 'string' ? args : isJsonObject(args) ? JSON.stringify(args) : ''
    if (isJsonObject(args)) call.isWhole = true
    call.arguments += text
    return this.#said(typeof call.name === 'string' ? call.name : '', text)
  }

  /**
   * The call that a piece belongs to. Servers count calls by index. Others leave it out, or send 0 with each
   * call. Then a piece with a name begins another call if its id is another one, or if the arguments so far
   * are whole.
   */
  #callOf(piece: JsonObject, name: string, args: Json | undefined, piecesInChunk: number): CallSoFar {
    const index = Number.isSafeInteger(piece.index) ? Number(piece.index) : null
    const id = typeof piece.id === 'string' ? piece.id : ''
    const last =
      index === null
        ? (this.#calls.findLast((call) => id !== '' && call.id === id) ?? this.#calls.at(-1))
        : this.#calls.findLast((call) => call.index === index)
    if (last !== undefined && !begins(last, { id, name, args, isAlone: piecesInChunk === 1 })) return last
    const call = { id, index, name: null, arguments: '', isWhole: false }
    this.#calls.push(call)
    return call
  }

  #said(tool: string | null, text: string): WordPiece[] {
    if (text === '') return []
    this.#length += text.length
    this.#bytes += utf8Length(text)
    if (this.#length > ANSWER_BYTES_MAX)
      throw new UnusableAnswerError(`model answered with more than ${ANSWER_BYTES_MAX} characters`)
    return [{ tool, text }]
  }
}

/** Whether a piece begins another call than the one to which its index points. */
function begins(
  last: CallSoFar,
  { id, name, args, isAlone }: { id: string; name: string; args: Json | undefined; isAlone: boolean },
): boolean {
  if (name === '' || last.name === null) return false
  if (id !== '' && id === last.id) return false
  if (name !== last.name) return true
  const isOther = id !== '' && last.id !== ''
  if (last.arguments === '') return isOther
  const hasArgs = isJsonObject(args) || (typeof args === 'string' && args !== '')
  const isWhole = last.isWhole || isJsonObject(parseJson(last.arguments))
  return isWhole ? hasArgs || isOther : hasArgs && !isAlone
}
