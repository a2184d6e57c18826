import type { ModelEndpoint } from './endpoint.ts'
import { isRejected, ModelTransientError } from './failures.ts'
import { type Refusal, TOKEN_LIMITS, type TokenLimit } from './fetch.ts'

/** Hosts whose current models refuse `max_tokens`, or have announced to. */
const NEW_NAME_HOSTS =
  /(^|[.])(openai[.]com|openai[.]azure[.]com|api[.]groq[.]com|api[.]cerebras[.]ai|api[.]x[.]ai)$/

/**
 * The name under which an endpoint takes the limit of an answer's tokens. OpenAI's newer models refuse `max_tokens`. Mistral
 * refuses `max_completion_tokens`, and Ollama and older llama.cpp servers ignore it, so the answer would have no limit. An
 * unknown host gets `max_tokens` first, and the other name once it refuses that, as a gateway to a newer model does.
 */
export class LimitName {
  readonly #first: TokenLimit
  #now: TokenLimit
  /** an answer came under the name in use */
  #confirmed = false

  constructor({ baseUrl }: ModelEndpoint) {
    this.#first = NEW_NAME_HOSTS.test(new URL(baseUrl).hostname) ? 'max_completion_tokens' : 'max_tokens'
    this.#now = this.#first
  }

  get now(): TokenLimit {
    return this.#now
  }

  /** An answer came to a request with this name. */
  confirm(sent: TokenLimit): void {
    if (sent === this.#now) this.#confirmed = true
  }

  /**
   * Changes the name after a refusal that names it. The change is taken back unless an answer follows: the refusal may quote
   * a prompt that has the name in it.
   * @throws {ModelTransientError} when another attempt will send the other name
   */
  throwIfRefused(sent: TokenLimit, { status, namedLimits }: Refusal): void {
    if (!isRejected(status)) return
    if (sent !== this.#first) {
      if (!this.#confirmed) this.#now = this.#first
      return
    }
    if ((this.#confirmed && this.#now === sent) || !namedLimits.includes(sent)) return
    this.#now = TOKEN_LIMITS.find((name) => name !== sent) ?? sent
    throw new ModelTransientError('LLM_FAILED', `model answered ${status}: it takes no ${sent}`, {
      status,
      retryAfterMs: 0,
      isFree: true,
    })
  }
}
