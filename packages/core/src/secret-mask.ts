import type { Json } from './json.ts'

/** A shorter value would be found in texts that do not hold it. */
const MASKED_CHARS_MIN = 4

/**
 * Texts are cut before they come here, by servers, pipes and our own bounds, and a cut may go through a secret.
 * So its beginning and its end are masked too, from this many characters on, or a third of it where that is more.
 */
const PART_CHARS_MIN = 8

/** The same value without the values of secrets, also in the names of fields: the record is for ever. */
export function masked<T extends Json>(value: T, secrets: Readonly<Record<string, string>>): T {
  const held = Object.entries(secrets)
    .filter(([, secret]) => secret.length >= MASKED_CHARS_MIN)
    .sort(([, a], [, b]) => b.length - a.length)
  return held.length === 0 ? value : (mask(value, held) as T)
}

function mask(value: Json, held: readonly (readonly [name: string, secret: string])[]): Json {
  const inText = (text: string) =>
    held.reduce(
      (kept, [name, secret]) => withoutParts(kept.replaceAll(secret, `[secret ${name}]`), name, secret),
      text,
    )
  if (typeof value === 'string') return inText(value)
  if (Array.isArray(value)) return value.map((part) => mask(part, held))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [inText(name), mask(part, held)]))
}

/** A text without what it has of a secret that was cut: its beginning, or its end. */
function withoutParts(text: string, name: string, secret: string): string {
  const least = Math.max(PART_CHARS_MIN, Math.ceil(secret.length / 3))
  if (secret.length <= least) return text
  const begins = withoutRuns(text, name, secret.slice(0, least), (from) => {
    let to = from + least
    while (to - from < secret.length && text[to] === secret[to - from]) to++
    return [from, to]
  })
  return withoutRuns(begins, name, secret.slice(-least), (from) => {
    const to = from + least
    let start = from
    while (start > 0 && to - start < secret.length && begins[start - 1] === secret.at(start - 1 - to)) start--
    return [start, to]
  })
}

/** Masks what a part is found in. @param grown where it begins and ends, by where the part was found */
function withoutRuns(
  text: string,
  name: string,
  part: string,
  grown: (from: number) => readonly [start: number, end: number],
): string {
  let [kept, done] = ['', 0]
  for (let from = text.indexOf(part); from >= 0; from = text.indexOf(part, done)) {
    const [start, end] = grown(from)
    kept += `${text.slice(done, Math.max(start, done))}[secret ${name}]`
    done = end
  }
  return kept + text.slice(done)
}
