import { isJsonObject, type Json, type JsonObject } from '@treeos/core'
import { readArgs, toolNameOf, type WrittenCall } from './arguments.ts'
import { readChannels } from './harmony.ts'
import { findTextCalls, isBrokenCall, isQuoted, type OfferedTools, responseIn } from './text-calls.ts'
import { withoutThinking } from './thinking.ts'

/** How an answer ended. */
export type AnswerEnd = 'done' | 'length' | 'filter' | 'broken' | 'malformed'

/** What a model wrote, whatever server it came from. */
export interface ModelMessage {
  /** without thinking and calls; null: it said nothing */
  readonly words: string | null
  readonly calls: readonly WrittenCall[]
  readonly end: AnswerEnd
  /** the words are a call that was cut off, or that is not JSON */
  readonly isBroken: boolean
}

/** Reasons of an end, by the words that servers have for them. Any other one, and none, is `done`. */
const ENDS: Readonly<Record<string, AnswerEnd>> = {
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  token_limit: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'filter',
  safety: 'filter',
  sensitive: 'filter',
  recitation: 'filter',
  blocklist: 'filter',
  prohibited_content: 'filter',
  spii: 'filter',
  error: 'broken',
  network_error: 'broken',
  insufficient_system_resource: 'broken',
  abort: 'broken',
  malformed_function_call: 'malformed',
  unexpected_tool_call: 'malformed',
}

/** @returns how an answer ended, by the `finish_reason` of its choice */
export function messageEnd(reason: unknown): AnswerEnd {
  const known = typeof reason === 'string' ? reason.toLowerCase().replace(/^function_call_filter: /, '') : ''
  return Object.hasOwn(ENDS, known) ? ENDS[known]! : 'done'
}

/**
 * Reads the message of a completion. Takes any value and never throws.
 * @returns null when it holds no message of Chat Completions
 */
export function readMessage(completion: unknown, offer: OfferedTools): ModelMessage | null {
  const choices = isJsonObject(completion) ? completion.choices : undefined
  const choice = Array.isArray(choices) ? choices[0] : undefined
  if (!isJsonObject(choice) || !isJsonObject(choice.message)) return null
  const parts = messageParts(choice.message)
  const calls = callsOf(choice.message)
  if (parts === null || calls === null) return null
  const end = messageEnd(choice.finish_reason)
  const all = [...calls, ...parts.calls]
  const said = sayingOf(parts.text, all.length === 0 ? offer : { ...offer, tools: [] })
  const named = (all.length === 0 ? said.calls : all).map(({ name, args }) => ({
    name: toolNameOf(name, offer.tools),
    args,
  }))
  const words = said.words.trim() === '' ? null : said.words
  const isBroken = named.length === 0 && words !== null && isBrokenCall(words, offer)
  return { words, calls: named, end, isBroken }
}

/** Words and the calls in them. Thinking is taken out, and never read. */
function sayingOf(text: string, offer: OfferedTools): { words: string; calls: readonly WrittenCall[] } {
  const channels = readChannels(text)
  if (channels !== null) {
    const { calls, words, written } = channels
    const isCall = offer.tools.some((tool) => tool === toolNameOf(calls[0]?.name, offer.tools))
    return { words, calls: isCall && !isQuoted(written, offer.prompt) ? calls : [] }
  }
  const words = withoutThinking(text)
  return findTextCalls(words, offer) ?? { words: responseIn(words, offer) ?? words, calls: [] }
}

/**
 * The words of a message: a text, or a list of parts, some of which may be calls.
 * @returns null for anything else
 */
function messageParts({ content, refusal }: JsonObject): { text: string; calls: WrittenCall[] } | null {
  const said = content ?? null
  const refused = typeof refusal === 'string' ? refusal : '' // a refusal counts as words
  if (said === null) return { text: refused, calls: [] }
  if (typeof said === 'string') return { text: said === '' ? refused : said, calls: [] }
  const parts = Array.isArray(said) ? said : isJsonObject(said) ? [said] : null
  if (parts === null || !parts.every((part) => typeof part === 'string' || isJsonObject(part))) return null
  const calls = parts.filter((part) => isJsonObject(part) && isCallPart(part)).map(readCall)
  return { text: parts.map(partText).join('') || refused, calls }
}

const TEXT_TYPES: readonly unknown[] = ['text', 'output_text', 'refusal', undefined]

/** The text of a part. Parts of thinking and of other kinds hold no words. */
export function partText(part: Json): string {
  if (typeof part === 'string') return part
  if (!isJsonObject(part) || !TEXT_TYPES.includes(part.type)) return ''
  const text = part.text ?? part.refusal ?? part.content
  if (typeof text === 'string') return text
  return isJsonObject(text) && typeof text.value === 'string' ? text.value : ''
}

/** Whether a part of the words is a call, as gateways to Anthropic send them. */
export const isCallPart = ({ type }: JsonObject): boolean =>
  type === 'tool_use' || type === 'function_call' || type === 'tool_call'

/** The calls of a message. @returns null when they are not a list */
function callsOf({ tool_calls, function_call }: JsonObject): WrittenCall[] | null {
  const calls = tool_calls ?? []
  if (isJsonObject(calls) && isJsonObject(calls.function)) return [readCall(calls)]
  if (!Array.isArray(calls)) return null
  return calls.length === 0 && isJsonObject(function_call) ? [readCall(function_call)] : calls.map(readCall)
}

/** A call of the protocol: its parts within `function`, or at its own level. */
function readCall(call: Json): WrittenCall {
  const named = isJsonObject(call) ? (isJsonObject(call.function) ? call.function : call) : {}
  return { name: named.name, args: readArgs(named.arguments ?? named.input ?? named.parameters) }
}
