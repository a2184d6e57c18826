import type { BeingName } from '@treeos/core'
import { type Db, keepVector, listUnlikened, type NoteSeeker } from '@treeos/store'
import { z } from 'zod'
import { requireBaseUrl, requireKeptKey, requireKey } from '../model/endpoint.ts'
import { exchange, headersFor, urlOf } from '../model/fetch.ts'

/** Makes the vectors by which notes are compared. */
export interface Embedder {
  /** name of the model, kept with each vector */
  readonly model: string
  /** @returns one vector for each text @throws {Error} when the server gives none */
  embed(texts: readonly string[]): Promise<number[][]>
}

/** A search waits no longer for vectors: then it goes by words alone. */
const WAIT_MS = 1500
/** Notes that get their vectors before one search. */
const NOTES_MAX = 32
const CHARS_MAX = 4000

const answer = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(8192) })),
})

/** @throws {TreeosError} INVALID_INPUT for a malformed address or key; the message quotes neither */
export function createEmbedder(
  { baseUrl, model, apiKey }: { baseUrl: string; model: string; apiKey: string | null },
  env: Readonly<Record<string, string | undefined>> = {},
): Embedder {
  const address = {
    baseUrl: requireBaseUrl(baseUrl, 'TREEOS_EMBEDDINGS_URL'),
    apiKey: requireKey(apiKey, 'TREEOS_EMBEDDINGS_KEY'),
  }
  requireKeptKey(address, env, 'TREEOS_EMBEDDINGS_URL')
  return {
    model,
    async embed(texts) {
      const reply = await exchange(urlOf(address.baseUrl, 'embeddings'), {
        method: 'POST',
        headers: headersFor(address.apiKey),
        body: JSON.stringify({ model, input: texts.map((text) => text.slice(0, CHARS_MAX)) }),
        signal: AbortSignal.timeout(WAIT_MS),
      })
      if (!('text' in reply)) throw new Error('the server of embeddings gave no answer that can be used')
      const { data } = answer.parse(JSON.parse(reply.text))
      const vectors = texts.map((_, i) => data.find(({ index }) => index === i)?.embedding)
      if (vectors.some((vector) => vector === undefined))
        throw new Error('the server of embeddings left a text out')
      return vectors as number[][]
    },
  }
}

/**
 * The server refuses some notes when they are sent alone. This many of them are remembered, and not sent
 * again.
 */
const REFUSED_MAX = 1000

/**
 * Searches by likeness where there is an embedder: first it gives notes of these beings the vectors that they
 * lack. Of notes that the server does not take together, fewer are sent each time, until it is one alone,
 * which is left out from then on.
 */
export const seekBy = (db: Db, embedder: Embedder, onFault: (error: unknown) => void): NoteSeeker => {
  let most = NOTES_MAX
  const refused = new Set<string>()
  /** @returns the ids of the notes that the server did not take */
  const fill = async (beings: readonly BeingName[]): Promise<readonly string[]> => {
    const notes = await listUnlikened(db, { beings, model: embedder.model, most, without: [...refused] })
    if (notes.length === 0) return []
    try {
      const vectors = await embedder.embed(notes.map(({ text }) => text))
      await Promise.all(notes.map(({ id }, i) => keepVector(db, id, embedder.model, vectors[i] ?? [])))
      most = NOTES_MAX
      return []
    } catch (error) {
      onFault(error)
      return notes.map(({ id }) => id)
    }
  }
  const sendFewer = (untaken: readonly string[]) => {
    const [only] = untaken
    if (untaken.length > 1) most = Math.ceil(untaken.length / 4)
    else if (only !== undefined && refused.size < REFUSED_MAX) refused.add(only)
  }
  return async (beings, about) => {
    try {
      const untaken = await fill(beings)
      const [vector] = await embedder.embed([about])
      sendFewer(untaken) // the server answers, so it was for these notes that it did not
      return vector === undefined ? null : { model: embedder.model, vector }
    } catch (error) {
      onFault(error) // the search goes by words alone, and its result is recorded as any other
      return null
    }
  }
}
