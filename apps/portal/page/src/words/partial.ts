/**
 * The fields of an object of JSON that is not complete yet, as far as they were written. An end that cannot
 * be read yet is left out.
 * @returns an empty object for what is not the beginning of an object
 */
export function partialJson(text: string): Readonly<Record<string, unknown>> {
  for (const [cut, ends] of endings(text)) {
    try {
      const value: unknown = JSON.parse(text.slice(0, cut) + ends)
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return value as Record<string, unknown>
    } catch {
      // cut shorter
    }
  }
  return {}
}

/** How often a text is tried shorter: a key, a number or an escape may have begun. */
const SHORTENED_MAX = 8

/** Where the text may be cut, and what closes it there, the longest first. */
function* endings(text: string): Generator<readonly [number, string]> {
  const stack: string[] = []
  const stops: (readonly [number, string])[] = []
  let isString = false
  const closed = () => stack.toReversed().join('')
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]
    if (isString) {
      if (letter === '\\') i += text[i + 1] === 'u' ? 5 : 1
      else if (letter === '"') isString = false
      continue
    }
    if (letter === '"') isString = true
    else if (letter === '{' || letter === '[') stack.push(letter === '{' ? '}' : ']')
    else if (letter === '}' || letter === ']') stack.pop()
    else if (letter === ',') stops.push([i, closed()])
    if (letter === '{' || letter === '[') stops.push([i + 1, closed()])
  }
  // Within a string, an escape may be cut: up to six letters are left out.
  for (let cut = 0; isString && cut < 7; cut++) yield [text.length - cut, `"${closed()}`]
  if (!isString) yield [text.length, closed()]
  yield* stops.slice(-SHORTENED_MAX).reverse()
}
