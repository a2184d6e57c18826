import type { JsonObject, ShownNames } from '@treeos/core'
import type { MindWords, ModelTool, Prompt } from '@treeos/signature'
import type { WordPiece } from '@treeos/store'
import type { Usage } from './prices.ts'

/** A picture that is sent beside the user message. */
export interface ModelPicture {
  /** what it is, in one line of ours */
  readonly name: MindWords
  readonly mediaType: string
  /** base64 */
  readonly data: string
}

export interface ModelRequest {
  readonly prompt: Prompt
  /** in their order; a model that takes none is told their names */
  readonly pictures?: readonly ModelPicture[]
  readonly tools: readonly ModelTool[]
  /** the names that the prompt told, which the model may write short; none when left out */
  readonly shown?: ShownNames
  /** true: the model must call one of the tools; ignored when there are none */
  readonly forceToolCall: boolean
  /** the model may write several calls in one answer: false where it is left out */
  readonly severalCalls?: boolean
  readonly signal?: AbortSignal
  /**
   * most model tokens of the answer; for a being with a budget the model's own limit when left out, else none
   */
  readonly maxTokens?: number
  /**
   * hears what the model writes, as it comes: the answer is then asked for as a stream. It is the same answer
   */
  readonly onSaying?: (saying: WordPiece) => void
  /** is called after each request, with its settings and the model that its answer names */
  readonly onAnswered?: (told: AnsweringModel) => void
}

/** The model that an answer came from, as far as the answer says it, and what else than prompt and tools the request had. */
export interface AnsweringModel {
  readonly named: string | null
  readonly settings: JsonObject
}

/** What an answer cost. */
export interface ChargedAnswer {
  /** null when the answer holds no valid usage */
  readonly usage: Usage | null
  /**
   * where usage is unknown: the most model tokens that what was received can have; left out: as many as the
   * answer may have
   */
  readonly received?: number
  /** the provider did no work, so it charges nothing */
  readonly refused?: true
  /** it would refuse any other request, too: the key, the model or the credit is missing */
  readonly unavailable?: true
}
