import { isJsonObject, type Json } from '@treeos/core'

/**
 * A repeat of this many characters is the overlay speaking, not the model. Shorter ones are common phrases.
 */
export const ECHO_MIN = 32
/** A whole overlay that is shorter is recognized down to this length. */
const WHOLE_MIN = 16
/** Stands for each run of characters that repeats an overlay. */
export const ECHO_MASK = '[overlay]'

/**
 * Masks what an answer repeats of overlays word for word: every run of {@link ECHO_MIN} characters or more,
 * in all texts and keys. Answers are recorded, and overlays are not. An answer in other words is what an
 * overlay is for, and stays.
 */
export function maskEcho<T extends Json>(answer: T, overlays: readonly string[]): T {
  const grams = gramsOf(overlays)
  return (grams.size === 0 ? answer : masked(answer, grams)) as T
}

/** What to look for, by its length. */
type Grams = ReadonlyMap<number, ReadonlySet<string>>

function gramsOf(overlays: readonly string[]): Grams {
  const grams = new Map<number, Set<string>>()
  for (const text of new Set(overlays.flatMap(formsOf))) {
    const length = Math.min(text.length, ECHO_MIN)
    if (length < WHOLE_MIN) continue
    const known = grams.get(length) ?? new Set()
    grams.set(length, known)
    for (let i = 0; i + length <= text.length; i++) known.add(text.slice(i, i + length))
  }
  return grams
}

/** As it is; and as a message quotes it: as JSON, and as JSON in ASCII alone. */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const ascii = json.replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return [text, json, ascii]
}

function masked(value: Json, grams: Grams): Json {
  if (typeof value === 'string') return maskedText(value, grams)
  if (Array.isArray(value)) return value.map((item: Json) => masked(item, grams))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [maskedText(key, grams), masked(item, grams)]),
  )
}

function maskedText(text: string, grams: Grams): string {
  const isEcho = new Uint8Array(text.length)
  for (const [length, known] of grams)
    for (let i = 0; i + length <= text.length; i++)
      if (known.has(text.slice(i, i + length))) isEcho.fill(1, i, i + length)
  if (!isEcho.includes(1)) return text
  let out = ''
  for (let i = 0; i < text.length; i++) {
    if (isEcho[i] === 0) out += text[i]
    else if (i === 0 || isEcho[i - 1] === 0) out += ECHO_MASK
  }
  return out.toWellFormed() // a run may end within a surrogate pair
}
