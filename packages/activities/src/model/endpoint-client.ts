import { isJsonObject, type JsonObject } from '@treeos/core'
import { carry, joinWords, type MindWords, type ModelTool } from '@treeos/signature'
import { apiOf } from './apis/api.ts'
import type { ModelApi, RequestBody } from './apis/shape.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { type EndpointQuirk, EndpointQuirks, PICTURE, type RequestForm } from './endpoint-quirks.ts'
import {
  explain,
  explainCut,
  explainUnsent,
  isFreeStatus,
  ModelTransientError,
  throwIfTransient,
  throwLost,
} from './failures.ts'
import { exchange, type ModelHttpRequest, UnusableAnswerError } from './fetch.ts'
import { parseJson } from './reading/arguments.ts'
import { messageEnd } from './reading/message.ts'
import { type EndpointRefusal, errorInside, readRefusal } from './refusal.ts'
import type { ChargedAnswer, ModelRequest } from './request.ts'
import { readStreamed } from './stream.ts'
import { isStrict } from './strict.ts'
import { isCut, readUsage, receivedIn } from './usage.ts'

/** An answer of a provider, or why there is none. */
type ChargedCompletion = { readonly charged: ChargedAnswer } & (
  | { readonly completion: unknown }
  | { readonly failure: string }
)

/** A refusal, with what came before it where it is an error within an answer. */
interface RefusedRequest {
  readonly refusal: EndpointRefusal
  readonly completion?: unknown
}
type PostResult = { readonly completion: unknown } | RefusedRequest | { readonly failure: string }

/** Most requests of one call: more than there are fields that an endpoint may refuse. */
const REQUESTS_MAX = 12
const NOT_JSON = 'model answered with something that is not JSON'

/** A message of a request: nothing but what carriers brought reaches a model. */
interface MindMessage {
  readonly role: 'system' | 'user'
  readonly content: MindWords | readonly MindPart[]
}

type MindPart =
  | { readonly type: 'text'; readonly text: MindWords }
  | { readonly type: typeof PICTURE; readonly [PICTURE]: { readonly url: string } }

/** Sends requests to one endpoint, and learns from its refusals what it takes. */
export class EndpointClient {
  readonly #endpoint: ModelEndpoint
  readonly #timeoutSeconds: number
  readonly #quirks: EndpointQuirks
  readonly #api: ModelApi
  readonly #hear: ((text: string) => void) | undefined
  /** by whether the answer is streamed: the two differ in address and headers */
  readonly #destinations = new Map<boolean, RequestTarget>()

  /**
   * @param hear hears the text of refusals, which may quote prompt and key: it is for the operator's eyes,
   *   and is kept nowhere
   */
  constructor(endpoint: ModelEndpoint, timeoutSeconds: number, hear?: (text: string) => void) {
    this.#hear = hear
    this.#endpoint = endpoint
    this.#timeoutSeconds = timeoutSeconds
    this.#quirks = new EndpointQuirks(endpoint)
    this.#api = apiOf(endpoint)
  }

  /** what the endpoint was found not to take */
  get quirks(): ReadonlySet<EndpointQuirk> {
    return this.#quirks.quirks
  }

  /** The JSON of a request, in the form that the endpoint takes as far as is known. */
  bodyOf(asked: ModelRequest, form = this.#formOf(asked, this.#quirks.quirks)): RequestBody {
    const { prompt, tools, maxTokens } = asked
    const { parameters = {}, model } = this.#endpoint
    const own = Object.entries(parameters).filter(([field]) => form.takes(field))
    const messages: readonly MindMessage[] = form.takes('system')
      ? [
          { role: 'system', content: prompt.system },
          { role: 'user', content: this.#user(asked, form, prompt.user) },
        ]
      : [
          {
            role: 'user',
            content: this.#user(asked, form, joinWords([prompt.system, prompt.user], '\n\n')),
          },
        ]
    return {
      ...Object.fromEntries(own),
      model,
      messages,
      ...(tools.length > 0 && {
        tools: form.takes('strict') ? withStrict(tools) : tools,
        ...(form.toolChoice === 'absent' ? {} : { tool_choice: form.toolChoice }),
        ...(asked.severalCalls !== true && form.takes('parallel_tool_calls')
          ? { parallel_tool_calls: false }
          : {}),
      }),
      ...(maxTokens !== undefined && { [form.limit]: maxTokens }),
      ...(form.streams && { stream: true }),
      // Without the option, most servers send no usage with a stream.
      ...(form.streams && form.takes('stream_options') && { stream_options: { include_usage: true } }),
    }
  }

  /**
   * Asks once. A request that is refused for a field is sent again without the field, which costs nothing:
   * nobody worked on it. One that is refused by 400 for no reason that is known is sent once more as it is:
   * some servers answer so while they load a model, or where their model wrote nonsense.
   * @throws {ModelTransientError}; the signal's reason
   */
  async send(asked: ModelRequest): Promise<ChargedCompletion> {
    asked.signal?.throwIfAborted()
    const deadline = new CallDeadline(Math.ceil(this.#timeoutSeconds * 1000), asked.signal)
    try {
      return await this.#send(asked, deadline.signal)
    } finally {
      deadline.over()
    }
  }

  async #send(asked: ModelRequest, deadlineSignal: AbortSignal): Promise<ChargedCompletion> {
    let quirks = this.#quirks.quirks
    let isRepeated = false
    for (let requests = 1; ; requests++) {
      const form = this.#formOf(asked, quirks)
      const body = this.bodyOf(asked, form)
      let isHeard = false
      const onSaying: ModelRequest['onSaying'] = (saying) => {
        isHeard = true
        asked.onSaying?.(saying)
      }
      const sent = await this.#post({ body, onSaying, signal: asked.signal, deadlineSignal })
      asked.onAnswered?.({
        named: 'completion' in sent ? modelNamedIn(sent.completion) : null,
        settings: settingsOf(body),
      })
      if ('failure' in sent) return { ...sent, charged: { usage: null } }
      if (!('refusal' in sent)) {
        this.#quirks.answered(form, quirks)
        return this.#answered(sent.completion, asked)
      }
      if (!isHeard && !isRepeated && mayBeCured(sent.refusal)) {
        isRepeated = true
        continue
      }
      const quirk =
        isHeard || requests === REQUESTS_MAX
          ? null
          : this.#quirks.suspect(sent.refusal, form, bodyFields(body), quirks)
      if (quirk === null) return this.#refused(sent, asked, isHeard)
      quirks = new Set<EndpointQuirk>([...quirks, quirk])
    }
  }

  /** The user message: parts where pictures go with it, which stand before the words, else a text. */
  #user({ pictures = [] }: ModelRequest, form: RequestForm, words: MindWords): MindMessage['content'] {
    if (pictures.length === 0) return words
    if (this.#endpoint.pictures === false || !form.takes(PICTURE)) {
      const unseen = pictures.map(({ name }) => `${name} is not shown: this model takes no pictures.`)
      return joinWords([carry('file', `[file]\n${unseen.join('\n')}`), words], '\n\n')
    }
    const shown = pictures.flatMap<MindPart>(({ name, mediaType, data }) => [
      { type: 'text', text: carry('file', `[file]\n${name}:`) },
      { type: PICTURE, [PICTURE]: { url: `data:${mediaType};base64,${data}` } },
    ])
    return [...shown, { type: 'text', text: words }]
  }

  #formOf({ forceToolCall, onSaying }: ModelRequest, quirks: ReadonlySet<EndpointQuirk>): RequestForm {
    return this.#quirks.formOf({ forceToolCall, streams: onSaying !== undefined }, quirks)
  }

  #answered(completion: unknown, { prompt, maxTokens }: ModelRequest): ChargedCompletion {
    const usage = readUsage(completion)
    const received = receivedIn(completion)
    const charged = { usage, ...(usage !== null || received === undefined ? {} : { received }) }
    if (completion === undefined) return { failure: NOT_JSON, charged }
    if (messageEnd(choiceOf(completion).finish_reason) === 'broken')
      throw new ModelTransientError('LLM_FAILED', "model's server broke off the answer", charged)
    if (isCut(`${prompt.system}\n${prompt.user}`, usage))
      return { failure: explainCut(usage?.promptTokens ?? 0, this.#endpoint), charged }
    const isSpent = usage !== null && maxTokens !== undefined && usage.completionTokens >= maxTokens
    return { completion: isSpent ? endedByLength(completion) : completion, charged }
  }

  #refused(
    { refusal, completion }: RefusedRequest,
    asked: ModelRequest,
    isHeard: boolean,
  ): ChargedCompletion {
    const { generation, status } = refusal
    if (generation !== undefined)
      return this.#answered({ choices: [{ message: { content: generation } }] }, asked)
    const isFree = isFreeStatus(status) && !isHeard
    const usage = readUsage(completion)
    throwIfTransient(refusal, { isFree, usage, received: receivedIn(completion) })
    const failure = explain(refusal, this.#endpoint)
    const isAway = isFree && (refusal.topic === 'quota' || [401, 402, 403, 404].includes(status))
    return {
      failure,
      charged: { usage, ...(isFree ? { refused: true } : {}), ...(isAway ? { unavailable: true } : {}) },
    }
  }

  /** Sends one HTTP request. @returns a completion, which is undefined for an answer that is not JSON */
  async #post({
    body,
    onSaying,
    signal,
    deadlineSignal,
  }: {
    readonly body: RequestBody
    readonly onSaying: NonNullable<ModelRequest['onSaying']>
    readonly signal: AbortSignal | undefined
    /** aborted with it, and when the time is over */
    readonly deadlineSignal: AbortSignal
  }): Promise<PostResult> {
    const request = this.#requestOf(body)
    if (request === null) return { failure: explainUnsent(this.#endpoint) }
    const fields = [...bodyFields(body), 'tool_choice', 'stream']
    try {
      const reply = await exchange(
        request.url,
        { ...request.init, signal: deadlineSignal },
        { fields, hear: this.#hear },
      )
      if ('refusal' in reply) return reply
      const completion =
        'text' in reply
          ? this.#api.completionOf(parseJson(reply.text))
          : await readStreamed(reply.events, onSaying, this.#api.chunksOf())
      // an abort may look like the end of the stream
      if (!deadlineSignal.aborted) return this.#insideOf(completion, fields)
    } catch (error) {
      if (!deadlineSignal.aborted) {
        if (error instanceof UnusableAnswerError) return { failure: error.message }
        throwLost(error)
      }
    }
    signal?.throwIfAborted()
    const message = `model did not answer within ${this.#timeoutSeconds} s`
    throw new ModelTransientError('LLM_TIMEOUT', message)
  }

  /** An answer of status 200 that holds an error is a refusal. */
  #insideOf(completion: unknown, fields: readonly string[]): PostResult {
    const error = errorInside(completion)
    if (error === null) return { completion }
    this.#hear?.(error.body)
    return { refusal: readRefusal({ ...error, headers: new Headers(), inside: true }, fields), completion }
  }

  /** @returns null for a key or an address that HTTP cannot carry */
  #requestOf(body: RequestBody): { url: URL; init: ModelHttpRequest } | null {
    try {
      const { url, headers } = this.#destination(body.stream === true)
      return { url, init: { method: 'POST', headers, body: JSON.stringify(this.#api.requestOf(body)) } }
    } catch {
      return null
    }
  }

  /** Address and headers, which are the same for all requests. */
  #destination(isStreamed: boolean): RequestTarget {
    const known = this.#destinations.get(isStreamed)
    if (known !== undefined) return known
    const headers = this.#api.headersOf(this.#endpoint.apiKey ?? null, isStreamed)
    const found = { url: this.#api.urlOf(this.#endpoint, isStreamed), headers }
    this.#destinations.set(isStreamed, found)
    return found
  }
}

const NAME_MAX = 128

/** The name of the model in an answer. It is text from outside: a name that is long, or has other characters than names have, is none. */
function modelNamedIn(completion: unknown): string | null {
  const named = isJsonObject(completion) ? completion.model : undefined
  return typeof named === 'string' && named.length <= NAME_MAX && /^[\w.:/@+-]+$/.test(named) ? named : null
}

/** What a request says beside the words, the tools and the model. */
function settingsOf(body: RequestBody): JsonObject {
  const {
    messages: _words,
    tools: _tools,
    model: _name,
    stream: _is,
    stream_options: _of,
    ...settings
  } = body
  return settings as JsonObject // it is sent as JSON
}

/** Whether the same request may be answered the next time. */
const mayBeCured = ({ status, topic, named, inside }: EndpointRefusal): boolean =>
  status === 400 && topic === null && named.length === 0 && !inside

/**
 * Ends a call when its time is over, or when it is aborted. `AbortSignal.timeout` and `any` would stay in
 * memory for all of the time.
 */
class CallDeadline {
  readonly #stop = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #of: AbortSignal | undefined
  readonly #abort = () => this.#stop.abort(this.#of?.reason)

  constructor(ms: number, signal: AbortSignal | undefined) {
    this.#of = signal
    this.#timer = setTimeout(() => this.#stop.abort(), ms).unref()
    signal?.addEventListener('abort', this.#abort)
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  over(): void {
    clearTimeout(this.#timer)
    this.#of?.removeEventListener('abort', this.#abort)
  }
}

interface RequestTarget {
  readonly url: URL
  readonly headers: Headers
}

/** Moments that are alike have the same tools. */
const marked = new WeakMap<readonly ModelTool[], readonly object[]>()

/** Servers can hold a model to schemas that are strict. Some take no mixture of strict tools and others. */
function withStrict(tools: readonly ModelTool[]): readonly object[] {
  const known = marked.get(tools) ?? markStrict(tools)
  marked.set(tools, known)
  return known
}

function markStrict(tools: readonly ModelTool[]): readonly object[] {
  if (!tools.every((tool) => isStrict(tool.function.parameters))) return tools
  return tools.map((tool) => ({ ...tool, function: { ...tool.function, strict: true } }))
}

/** The parts of a request that an endpoint may refuse, by their names. */
function bodyFields(body: RequestBody): string[] {
  const messages = Array.isArray(body.messages) ? body.messages : []
  const tools = Array.isArray(body.tools) ? body.tools : []
  const isStrict = tools.some((tool) => 'strict' in (tool as ModelTool).function)
  return [
    ...Object.keys(body).filter((field) => field !== 'model' && field !== 'messages'),
    ...(messages.length > 1 ? ['system'] : []),
    ...(messages.some(({ content }) => Array.isArray(content)) ? [PICTURE] : []),
    ...(isStrict ? ['strict'] : []),
  ]
}

function choiceOf(completion: unknown): JsonObject {
  const choices = isJsonObject(completion) ? completion.choices : undefined
  const choice = Array.isArray(choices) ? choices[0] : undefined
  return isJsonObject(choice) ? choice : {}
}

/** Some servers say `stop` where the limit of tokens ended an answer. */
const endedByLength = (completion: unknown): JsonObject => ({
  ...(completion as JsonObject),
  choices: [{ ...choiceOf(completion), finish_reason: 'length' }],
})
