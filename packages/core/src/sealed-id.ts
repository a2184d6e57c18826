import type { Json } from './json.ts'

/**
 * A text that is stored sealed: only its ciphertext stands in calls, facts and rows, and what hashes cover is
 * the ciphertext. Its key is in a table of its own. Where that is gone, nobody reads the text any more, and
 * everything verifies as before.
 */
const SEALED_TEXT = /^sealed:(note-[0-9a-f]{32}):[A-Za-z0-9_-]+$/

/**
 * The id of a sealed text, which is also the id of the one thing that may hold it; null for any other value.
 */
export const sealedId = (value: Json | undefined): string | null =>
  typeof value === 'string' ? (SEALED_TEXT.exec(value)?.[1] ?? null) : null
