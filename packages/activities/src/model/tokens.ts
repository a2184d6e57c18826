/** Counts the model tokens of a text. */
type TokenCounter = (text: string, how: { readonly disallowedSpecial: Set<string> }) => number

/** Control tokens in a prompt are text, as for the providers. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }

/** Tokenizers of OpenAI's models, by the names of these. Other providers publish none that runs here. */
const TOKENIZERS: readonly (readonly [names: RegExp, load: () => Promise<{ countTokens: TokenCounter }>])[] =
  [
    [
      /(^|[/])(?:ft:)?(?:gpt-4o|gpt-4[.]1|gpt-4[.]5|gpt-[5-9]|gpt-oss|chatgpt-|o[1-9](?:-|$))/,
      () => import('gpt-tokenizer/encoding/o200k_base'),
    ],
    [/(^|[/])(?:ft:)?(?:gpt-4|gpt-3[.]5-turbo)(?:-|$)/, () => import('gpt-tokenizer/encoding/cl100k_base')],
  ]

/**
 * Runs of characters that a tokenizer takes as one piece, whose time grows with their square. Texts with such
 * a run are bounded by their bytes.
 */
const LONG_RUN = /[\p{L}\p{M}]{300}|[^\s\p{L}\p{N}]{300}|\s{300}/u

/**
 * An upper bound of the model tokens of a text: what its model's tokenizer counts, where that is known. Else
 * its bytes, since a token has at least one.
 */
export class TokenBound {
  readonly #load: (() => Promise<{ countTokens: TokenCounter }>) | undefined
  #count: TokenCounter | null = null
  #loading: Promise<void> | null = null

  constructor(model: string) {
    this.#load = TOKENIZERS.find(([names]) => names.test(model))?.[1]
  }

  /** Loads the tokenizer, which takes 0.2 s and 75 MB. Until then, and where there is none, bytes count. */
  ready(): Promise<void> {
    this.#loading ??= this.#loaded()
    return this.#loading
  }

  async #loaded(): Promise<void> {
    const tokenizer = await this.#load?.()
    this.#count = tokenizer?.countTokens ?? null
  }

  of(text: string): number {
    if (this.#count === null) {
      void this.ready()
      return Buffer.byteLength(text)
    }
    return LONG_RUN.test(text) ? Buffer.byteLength(text) : this.#count(text, AS_TEXT)
  }
}
