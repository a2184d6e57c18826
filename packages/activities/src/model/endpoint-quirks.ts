import type { ModelEndpoint } from './endpoint.ts'
import type { EndpointRefusal } from './refusal.ts'

/** The two names of the limit of an answer's tokens. Each is refused by some endpoints. */
export const TOKEN_LIMITS = ['max_tokens', 'max_completion_tokens'] as const
export type TokenLimit = (typeof TOKEN_LIMITS)[number]

/** Hosts whose current models refuse `max_tokens`, or have announced to. */
const NEW_NAME_HOSTS =
  /(^|[.])(openai[.]com|openai[.]azure[.]com|api[.]groq[.]com|api[.]cerebras[.]ai|api[.]x[.]ai)$/

/** How a request says that the model may or must call a tool. Each one stands in for the one before it. */
const CHOICES = ['required', 'auto', 'absent', 'none'] as const
export type ToolChoice = (typeof CHOICES)[number]

/**
 * What an endpoint does not take, learnt from its refusals. `max_tokens` and `max_completion_tokens`: the
 * name of the limit. `stream:absent`: it answers with a stream only. `system`: it takes no system message.
 * Others are names of fields.
 */
export type EndpointQuirk =
  | TokenLimit
  | `tool_choice:${ToolChoice}`
  | 'stream'
  | 'stream:absent'
  | 'system'
  | 'strict'
  | (string & {})

/** A request as far as endpoints differ in it. */
export interface RequestForm {
  /** in a request without tools it does not count */
  readonly toolChoice: ToolChoice
  readonly limit: TokenLimit
  readonly streams: boolean
  takes(field: string): boolean
}

/** Name of the part of a message that is a picture. */
export const PICTURE = 'image_url'

/** Fields that are left out when a refusal names them, in the order in which they are suspected. */
const OPTIONAL = [PICTURE, 'strict', 'parallel_tool_calls', 'stream_options']

/**
 * What one endpoint takes. A request that it refuses is asked again without what the refusal names, and when
 * an answer comes, that is remembered as long as this process runs. When none comes, nothing is: the refusal
 * may have quoted a prompt. Nothing is stored, so no outsider can plant what is remembered.
 */
export class EndpointQuirks {
  readonly #firstLimit: TokenLimit
  readonly #learnt = new Set<EndpointQuirk>()
  /** a stream was answered once, so a refusal that does not name it has another reason */
  #hasStreamed = false

  constructor({ baseUrl }: Pick<ModelEndpoint, 'baseUrl'>) {
    this.#firstLimit = NEW_NAME_HOSTS.test(new URL(baseUrl).hostname) ? 'max_completion_tokens' : 'max_tokens'
  }

  /** what was learnt so far */
  get quirks(): ReadonlySet<EndpointQuirk> {
    return new Set(this.#learnt)
  }

  formOf(
    wanted: { forceToolCall: boolean; streams: boolean },
    quirks: ReadonlySet<EndpointQuirk>,
  ): RequestForm {
    const choices = CHOICES.slice(wanted.forceToolCall ? 0 : 1)
    const other = TOKEN_LIMITS.find((name) => name !== this.#firstLimit) ?? this.#firstLimit
    return {
      toolChoice: choices.find((choice) => !quirks.has(`tool_choice:${choice}`)) ?? 'absent',
      limit: quirks.has(this.#firstLimit) ? other : this.#firstLimit,
      streams: (wanted.streams && !quirks.has('stream')) || quirks.has('stream:absent'),
      takes: (field) => !quirks.has(field),
    }
  }

  /** An answer came to a request of this form. */
  answered(form: RequestForm, quirks: ReadonlySet<EndpointQuirk>): void {
    if (form.streams) this.#hasStreamed = true
    // One picture may be refused for what it is, and the next one taken.
    for (const quirk of quirks) if (quirk !== PICTURE) this.#learnt.add(quirk)
  }

  /**
   * What to leave out of the next request, after a refusal.
   * @param sent the optional fields of the refused request
   * @returns null when nothing of it is suspected, or all of that was tried
   */
  suspect(
    refusal: EndpointRefusal,
    form: RequestForm,
    sent: readonly string[],
    quirks: ReadonlySet<EndpointQuirk>,
  ): EndpointQuirk | null {
    const { status, named } = refusal
    if (![400, 404, 415, 422, 500, 501].includes(status)) return null
    const isSuspected = (field: string) => sent.includes(field) && named.includes(field) && !quirks.has(field)
    const field = [...OPTIONAL, ...sent.filter((name) => !KNOWN.includes(name))].find(isSuspected)
    if (field !== undefined) return field
    if (sent.includes(form.limit) && named.includes(form.limit) && form.limit === this.#firstLimit)
      return form.limit
    if (sent.includes('tools') && named.includes('tool_choice') && form.toolChoice !== 'none')
      return `tool_choice:${form.toolChoice}`
    if (isSuspected('system')) return 'system'
    return this.#suspectStream(refusal, form, quirks)
  }

  /** Servers refuse to stream without saying so. Some refuse not to. */
  #suspectStream(
    { status, inside, topic, named }: EndpointRefusal,
    { streams }: RequestForm,
    quirks: ReadonlySet<EndpointQuirk>,
  ): EndpointQuirk | null {
    const isNamed = named.includes('stream')
    if (quirks.has('stream') || quirks.has('stream:absent')) return null
    if (!streams) return isNamed && status < 500 ? 'stream:absent' : null
    const isUnexplained = (status === 400 || status === 422) && topic === null && !inside
    return isNamed || (isUnexplained && !this.#hasStreamed) ? 'stream' : null
  }
}

/** Fields that `suspect` judges by a rule of their own. */
const KNOWN: readonly string[] = [...OPTIONAL, ...TOKEN_LIMITS, 'tools', 'tool_choice', 'stream', 'system']
