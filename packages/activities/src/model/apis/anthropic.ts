import { isJsonObject, type Json, type JsonObject } from '@treeos/core'
import type { ModelTool } from '@treeos/signature'
import { headersFor, urlOf } from '../fetch.ts'
import { type AskedMessage, type ModelApi, partsOf, type RequestBody } from './shape.ts'

const VERSION = '2023-06-01'
/** It asks for a limit of each answer. */
const ANSWER_TOKENS = 8192
/** Fields of Chat Completions that are written in another way, or not at all. */
const OTHERS = [
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stream_options',
  'max_completion_tokens',
]
const CHOICES: Readonly<Record<string, string>> = { required: 'any', auto: 'auto', none: 'none' }
const ENDS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
}

/** Messages of Anthropic. */
export const ANTHROPIC: ModelApi = {
  urlOf: ({ baseUrl }) => urlOf(baseUrl, 'messages'),
  headersOf(apiKey, isStreamed) {
    const headers = headersFor(null, isStreamed)
    headers.set('anthropic-version', VERSION)
    if (apiKey !== null) headers.set('x-api-key', apiKey)
    return headers
  },
  requestOf(body) {
    const own = Object.entries(body).filter(([field]) => !OTHERS.includes(field))
    const messages = body.messages as readonly AskedMessage[]
    const system = messages.find(({ role }) => role === 'system')
    return {
      max_tokens: body.max_completion_tokens ?? ANSWER_TOKENS,
      ...Object.fromEntries(own),
      ...(system === undefined ? {} : { system: system.content }),
      messages: messages.filter(({ role }) => role !== 'system').map(anthropicMessage),
      ...anthropicTools(body),
    }
  },
  completionOf(answer) {
    if (!isJsonObject(answer) || answer.type !== 'message' || !Array.isArray(answer.content)) return answer
    const parts = answer.content.filter(isJsonObject)
    const words = parts.flatMap(({ type, text }) =>
      type === 'text' && typeof text === 'string' ? [text] : [],
    )
    const calls = parts.flatMap((part) => (part.type === 'tool_use' ? [callOf(part)] : []))
    const message = { content: words.join(''), ...(calls.length === 0 ? {} : { tool_calls: calls }) }
    return {
      choices: [{ message, finish_reason: anthropicEnd(answer.stop_reason) }],
      usage: usageOf(isJsonObject(answer.usage) ? answer.usage : {}),
      ...(answer.model === undefined ? {} : { model: answer.model }),
    }
  },
  chunksOf() {
    let usage: JsonObject = {}
    return (event) => {
      if (!isJsonObject(event) || event.type === 'error') return [event]
      const told = isJsonObject(event.message) ? event.message.usage : event.usage
      if (isJsonObject(told)) usage = { ...usage, ...told }
      if (isJsonObject(event.message) && event.message.model !== undefined)
        return [{ choices: [], model: event.message.model }]
      const chunk = chunkOf(event, usage)
      return chunk === null ? [] : [chunk]
    }
  },
}

const anthropicMessage = ({ role, content }: AskedMessage) => ({
  role,
  content:
    typeof content === 'string'
      ? content
      : partsOf(content).map((part) =>
          'text' in part
            ? { type: 'text', text: part.text }
            : { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } },
        ),
})

function anthropicTools({
  tools,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: RequestBody): RequestBody {
  if (!Array.isArray(tools)) return {}
  const type = CHOICES[String(choice)]
  const one = parallel === false && type !== 'none' ? { disable_parallel_tool_use: true } : {}
  return {
    tools: (tools as readonly (ModelTool & { function: { strict?: boolean } })[]).map(
      ({ function: tool }) => ({
        name: tool.name,
        description: tool.description,
        input_schema: tool.parameters,
        ...(tool.strict === true ? { strict: true } : {}),
      }),
    ),
    ...(type === undefined ? {} : { tool_choice: { type, ...one } }),
  }
}

const callOf = ({ id, name, input }: JsonObject): JsonObject => ({
  ...(id === undefined ? {} : { id }),
  type: 'function',
  function: { name: name ?? null, arguments: input ?? null },
})

const anthropicEnd = (reason: Json | undefined): Json =>
  typeof reason === 'string' ? (ENDS[reason] ?? reason) : null

/**
 * It counts the part of a prompt that it had in its cache, and the part that it put there, beside the rest.
 */
function usageOf(usage: JsonObject): JsonObject {
  const count = (name: string): number => (typeof usage[name] === 'number' ? usage[name] : 0)
  const cached = count('cache_read_input_tokens')
  return {
    prompt_tokens: count('input_tokens') + cached + count('cache_creation_input_tokens'),
    completion_tokens: count('output_tokens'),
    prompt_tokens_details: { cached_tokens: cached },
  }
}

function chunkOf(event: JsonObject, usage: JsonObject): object | null {
  const index = event.index ?? 0
  if (event.type === 'content_block_start' && isJsonObject(event.content_block)) {
    const block = event.content_block
    if (block.type !== 'tool_use') return deltaOf({ content: block.text ?? '' })
    return deltaOf({
      tool_calls: [{ index, id: block.id ?? '', function: { name: block.name ?? null, arguments: '' } }],
    })
  }
  if (event.type === 'content_block_delta' && isJsonObject(event.delta)) {
    const { text, partial_json: json, thinking } = event.delta
    if (typeof json === 'string') return deltaOf({ tool_calls: [{ index, function: { arguments: json } }] })
    return deltaOf(typeof thinking === 'string' ? { reasoning_content: thinking } : { content: text ?? '' })
  }
  if (event.type !== 'message_delta') return null
  const reason = isJsonObject(event.delta) ? anthropicEnd(event.delta.stop_reason) : null
  return { choices: [{ delta: {}, finish_reason: reason }], usage: usageOf(usage) }
}

const deltaOf = (delta: JsonObject): object => ({ choices: [{ delta, finish_reason: null }] })
