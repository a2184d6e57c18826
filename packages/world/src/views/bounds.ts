import { canonicalJson, type Json, type JsonObject, utf8Length } from '@treeos/core'

/**
 * Most of each kind that a view lists, and most bytes of canonical JSON that a value may take in it. Raise
 * PROMPT_LAYOUT with these.
 */
export const VIEW_BOUNDS = {
  exits: 32,
  occupants: 32,
  things: 24,
  /** of all qualities, of all rules of one space, and of the content of one thing */
  valueBytes: 4096,
  /** of the contents of all things */
  contentsBytes: 8192,
  /** of all words, the newest first */
  saidBytes: 8192,
  /** of one text among others */
  textBytes: 2048,
} as const

const CUT_NAMES_MAX = 8

/** What was left out of a view, in words. A view names it in its field `cut`. */
export class Cut {
  readonly #said: string[] = []

  say(what: string): void {
    this.#said.push(what)
  }

  /** The field for a view; none when nothing was left out. */
  get field(): { readonly cut?: readonly string[] } {
    return this.#said.length === 0 ? {} : { cut: this.#said }
  }

  /** The first items of a list. */
  list<T>(items: readonly T[], max: number, what: string): readonly T[] {
    return this.first(items, items.length, max, what)
  }

  /** The first items of a list of which only the beginning was read. @param count of the whole list */
  first<T>(items: readonly T[], count: number, max: number, what: string): readonly T[] {
    if (count <= max) return items
    this.say(`${count - max} more ${what}, ${count} in all`)
    return items.slice(0, max)
  }

  /** The keys of an object whose values fit together, in the order of the keys. */
  object(tree: JsonObject, bytesMax: number, what: string): JsonObject {
    const kept: [string, Json][] = []
    const left: string[] = []
    let bytes = 0
    for (const key of Object.keys(tree).sort()) {
      const value = tree[key] ?? null
      const size = utf8Length(canonicalJson({ [key]: value }))
      if (bytes + size > bytesMax) left.push(key)
      else {
        bytes += size
        kept.push([key, value])
      }
    }
    if (left.length > 0) {
      const others = left.length > CUT_NAMES_MAX ? ` and ${left.length - CUT_NAMES_MAX} more` : ''
      this.say(
        `${what}: ${left.slice(0, CUT_NAMES_MAX).join(', ')}${others} (at most ${bytesMax} bytes are shown)`,
      )
    }
    return Object.fromEntries(kept)
  }
}

/** A value as it is when it fits; else the beginning of it as text, with the number of its bytes. */
export function fitting(value: Json, bytesMax: number): Json {
  const text = typeof value === 'string' ? value : canonicalJson(value)
  const bytes = utf8Length(text)
  return bytes <= bytesMax ? value : { begins: beginOf(text, bytesMax), bytes }
}

/** The beginning of a text, in at most this many bytes of UTF-8, between characters. */
function beginOf(text: string, bytesMax: number): string {
  let begin = ''
  let bytes = 0
  for (const character of text) {
    bytes += utf8Length(character)
    if (bytes > bytesMax) break
    begin += character
  }
  return begin
}
