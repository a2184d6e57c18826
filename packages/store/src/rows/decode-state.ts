import { frozen, type Json } from '@treeos/core'
import { LRUCache } from 'lru-cache'
import { decodeJson } from '../sql/stored-json.ts'

/** Most characters of all texts that are kept, and of one of them. */
const CHARS_MAX = 8_000_000
const TEXT_CHARS_MAX = 64_000

/**
 * The last text of each row that was read here, with what it says. Beings in one place read each other in
 * every moment, and between two moments few of them change. The text is compared whole, so a kept state is
 * that of the row that was read.
 */
const kept = new LRUCache<string, { readonly text: string; readonly state: NonNullable<Json> }>({
  maxSize: CHARS_MAX,
  maxEntrySize: TEXT_CHARS_MAX,
  sizeCalculation: ({ text }) => text.length,
})

/** The state of a row from its text. It is frozen, since several moments share it. */
export function decodeState(key: string, text: string): Json {
  const known = kept.get(key)
  if (known?.text === text) return known.state
  const state = frozen(decodeJson<NonNullable<Json>>(text))
  kept.set(key, { text, state })
  return state
}
