import { isJsonObject, type Json, type JsonObject } from '@treeos/core'
import type { ModelTool } from '@treeos/signature'
import { headersFor, urlOf } from '../fetch.ts'
import { type AskedMessage, type ModelApi, partsOf, type RequestBody } from './shape.ts'

const MODES: Readonly<Record<string, string>> = { required: 'ANY', auto: 'AUTO', none: 'NONE' }
/**
 * Fields of Chat Completions that are written in another way, or not at all. The others are the operator's.
 */
const OTHERS = [
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
]

/** GenerateContent of Gemini. */
export const GEMINI: ModelApi = {
  urlOf({ baseUrl, model }, isStreamed) {
    const name = encodeURIComponent(model.replace(/^models[/]/, ''))
    const url = urlOf(baseUrl, `models/${name}:${isStreamed ? 'streamGenerateContent' : 'generateContent'}`)
    if (isStreamed) url.searchParams.set('alt', 'sse')
    return url
  },
  headersOf(apiKey, isStreamed) {
    const headers = headersFor(null, isStreamed)
    if (apiKey !== null) headers.set('x-goog-api-key', apiKey)
    return headers
  },
  requestOf(body) {
    const messages = body.messages as readonly AskedMessage[]
    const system = messages.find(({ role }) => role === 'system')
    const own = Object.entries(body).filter(([field]) => !OTHERS.includes(field))
    const limit = body.max_tokens ?? body.max_completion_tokens
    return {
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system.content }] } }),
      contents: messages
        .filter(({ role }) => role !== 'system')
        .map(({ content }) => ({ role: 'user', parts: partsOf(content).map(geminiPart) })),
      generationConfig: {
        ...Object.fromEntries(own),
        ...(limit === undefined ? {} : { maxOutputTokens: limit }),
      },
      ...geminiTools(body),
    }
  },
  completionOf(answer) {
    const read = readAnswer(answer)
    if (read === null) return answer
    const { message, ...rest } = read
    return {
      choices: [{ message, finish_reason: rest.end ?? 'stop' }],
      usage: rest.usage,
      ...modelIn(answer),
    }
  },
  chunksOf: () => (event) => {
    const read = readAnswer(event)
    if (read === null) return [event]
    return [
      { choices: [{ delta: read.message, finish_reason: read.end }], usage: read.usage, ...modelIn(event) },
    ]
  },
}

const geminiPart = (part: ReturnType<typeof partsOf>[number]) =>
  'text' in part ? part : { inlineData: { mimeType: part.mediaType, data: part.data } }

function geminiTools({ tools, tool_choice: choice }: RequestBody): RequestBody {
  if (!Array.isArray(tools)) return {}
  const mode = MODES[String(choice)]
  const declared = (tools as readonly ModelTool[]).map(({ function: { name, description, parameters } }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }))
  return {
    tools: [{ functionDeclarations: declared }],
    ...(mode === undefined ? {} : { toolConfig: { functionCallingConfig: { mode } } }),
  }
}

interface GeminiMessage {
  readonly message: JsonObject
  /** null in a stream that goes on */
  readonly end: Json
  readonly usage: Json
}

/** @returns null for anything but an answer, such as an error */
const modelIn = (answer: unknown): JsonObject =>
  isJsonObject(answer) && answer.modelVersion !== undefined ? { model: answer.modelVersion } : {}

function readAnswer(answer: unknown): GeminiMessage | null {
  if (!isJsonObject(answer) || answer.error !== undefined) return null
  const { candidates, usageMetadata, promptFeedback } = answer
  const [candidate] = Array.isArray(candidates) ? candidates : []
  const usage = isJsonObject(usageMetadata) ? usageOf(usageMetadata) : null
  if (!isJsonObject(candidate)) {
    if (isJsonObject(promptFeedback) && promptFeedback.blockReason)
      return { message: { content: null }, end: 'content_filter', usage }
    return usage === null ? null : { message: {}, end: null, usage }
  }
  return { message: geminiMessage(candidate.content ?? null), end: geminiEnd(candidate.finishReason), usage }
}

function geminiMessage(content: Json): JsonObject {
  const parts = (isJsonObject(content) && Array.isArray(content.parts) ? content.parts : []).filter(
    isJsonObject,
  )
  const textOf = (isThought: boolean) =>
    parts
      .filter(({ text, thought }) => typeof text === 'string' && (thought === true) === isThought)
      .map(({ text }) => text)
      .join('')
  const calls = parts.flatMap(({ functionCall: call }) =>
    isJsonObject(call)
      ? [{ type: 'function', function: { name: call.name ?? null, arguments: call.args ?? {} } }]
      : [],
  )
  const thinking = textOf(true)
  return {
    content: textOf(false),
    ...(thinking === '' ? {} : { reasoning_content: thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

/** Chat Completions has the same words in small letters, except for these. */
const geminiEnd = (reason: Json | undefined): Json => {
  if (typeof reason !== 'string') return null
  return reason === 'STOP' ? 'stop' : reason === 'MAX_TOKENS' ? 'length' : reason
}

/** It counts thinking beside the answer, and what its own tools read beside the prompt. */
function usageOf(usage: JsonObject): JsonObject {
  const count = (name: string): number => (typeof usage[name] === 'number' ? usage[name] : 0)
  return {
    prompt_tokens: count('promptTokenCount') + count('toolUsePromptTokenCount'),
    completion_tokens: count('candidatesTokenCount') + count('thoughtsTokenCount'),
    prompt_tokens_details: { cached_tokens: count('cachedContentTokenCount') },
  }
}
