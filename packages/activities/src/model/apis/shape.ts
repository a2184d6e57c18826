/** The JSON of a request. */
export type RequestBody = Readonly<Record<string, unknown>>

/** The names of APIs, as the file of connections has them. */
export const API_NAMES = ['openai', 'anthropic', 'gemini'] as const
export type ApiName = (typeof API_NAMES)[number]

/**
 * An API of models, by how it differs from Chat Completions. Requests are written and answers are read in
 * that form alone; an API translates them.
 */
export interface ModelApi {
  urlOf(endpoint: { readonly baseUrl: string; readonly model: string }, isStreamed: boolean): URL
  headersOf(apiKey: string | null, isStreamed: boolean): Headers
  /** The request in the form of this API. */
  requestOf(body: RequestBody): RequestBody
  /** An answer as a completion. Anything else comes back as it is. */
  completionOf(answer: unknown): unknown
  /** Translates one event of a stream after the other to chunks. */
  chunksOf(): (event: unknown) => readonly unknown[]
}

/** A part of a message of Chat Completions. */
interface MessagePart {
  readonly type: string
  readonly text?: string
  readonly image_url?: { readonly url: string }
}

/** A message of Chat Completions as it is asked. */
export interface AskedMessage {
  readonly role: string
  readonly content: string | readonly MessagePart[]
}

/** The parts of a message: of a text the text alone, and of pictures their bytes. */
export function partsOf(
  content: AskedMessage['content'],
): ({ readonly text: string } | { readonly mediaType: string; readonly data: string })[] {
  if (typeof content === 'string') return [{ text: content }]
  return content.map(({ text, image_url: image }) => {
    const [, mediaType = '', data = ''] = /^data:([^;]+);base64,(.*)$/s.exec(image?.url ?? '') ?? []
    return image === undefined ? { text: text ?? '' } : { mediaType, data }
  })
}
