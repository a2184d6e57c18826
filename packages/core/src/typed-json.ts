/** The library that reads JSON5. Whoever reads text brings it, since the command line loads it only for text that is not plain JSON. */
export interface Json5Library {
  parse(text: string, reviver: (key: string, value: unknown) => unknown): unknown
}

/** Typed text cannot be read. The message says what stands at the place, or what is wrong with it. */
export class TypedJsonError extends Error {
  override readonly name = 'TypedJsonError'
  /** from 0, in UTF-16 code units */
  readonly offset: number
  /** from 1 */
  readonly line: number
  /** from 1 */
  readonly column: number
  /** of it all: it is not JSON; or where it is, what of it cannot be kept */
  readonly isSyntax: boolean

  constructor(source: string, offset: number, { isSyntax, message }: { isSyntax: boolean; message: string }) {
    super(message)
    const before = source.slice(0, offset)
    this.offset = offset
    this.line = before.split('\n').length
    this.column = offset - before.lastIndexOf('\n')
    this.isSyntax = isSyntax
  }
}

/** Characters of a fault that its message shows. */
const SHOWN = 12

/**
 * Reads JSON that a person typed, in the notation of the sources: comments, unquoted keys, single quotes and trailing commas are JSON5, and an
 * assignment around the value is left out (`qualities.roleFlow = [ … ];`).
 * @param json5 called for text that is not plain JSON
 * @throws {TypedJsonError} also for code, such as a prompt that is a function, and for numbers that JSON does not have
 */
export function readTypedJson(text: string, json5: () => Json5Library): unknown {
  const source = text.replace(/^\ufeff/, ' ')
  try {
    return JSON.parse(source)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  const bare = withoutAssignment(source)
  try {
    return json5().parse(bare, requireFinite)
  } catch (error) {
    if (error instanceof RangeError)
      throw new TypedJsonError(bare, 0, { isSyntax: false, message: error.message })
    const { lineNumber, columnNumber } = error as { lineNumber?: number; columnNumber?: number }
    if (lineNumber === undefined || columnNumber === undefined) throw error
    const lines = bare.split('\n').slice(0, lineNumber - 1)
    throw faultAt(bare, lines.reduce((sum, { length }) => sum + length + 1, 0) + columnNumber - 1)
  }
}

function requireFinite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(`${key === '' ? 'it' : key} is ${value}, which JSON has no number for`)
  return value
}

const COMMENTS = String.raw`(?:\s|//[^\n]*\n|/\*[\s\S]*?\*/)*`
const ASSIGNED = new RegExp(`^(${COMMENTS})((?:(?:export|const|let|var)\\s+)*[\\w$.]+\\s*=)(?=\\s*[[{])`)

/** The same text with spaces for the name that a value is assigned to, and for the semicolon after it, so that all places stay. */
const withoutAssignment = (text: string): string =>
  text
    .replace(ASSIGNED, (_all, before: string, name: string) => before + name.replace(/\S/g, ' '))
    .replace(/;(\s*)$/, ' $1')

/** A function as a value: `prompt: () => …`, `prompt: function …` or `prompt(ctx) { … }`. */
const CODE =
  /([A-Za-z_$][\w$]*)['"]?\s*(?::\s*(?:async\s*)?(?:function\b|\([^()]{0,100}\)\s*=>|[A-Za-z_$][\w$]*\s*=>)|\([^()]{0,100}\)\s*\{)/g
const AROUND = 200

function faultAt(source: string, offset: number): TypedJsonError {
  const from = Math.max(0, offset - AROUND)
  for (const found of source.slice(from, offset + AROUND).matchAll(CODE)) {
    const start = from + found.index
    if (offset < start || offset >= start + found[0].length) continue
    const message = `${found[1]} is code; only an extension brings code: write the text that it returns, in quotes`
    return new TypedJsonError(source, start, { isSyntax: false, message })
  }
  const message =
    offset >= source.length
      ? 'it ends here'
      : `${JSON.stringify(source.slice(offset, offset + SHOWN))} stands here`
  return new TypedJsonError(source, offset, { isSyntax: true, message })
}

/**
 * Reads a value that a person typed where any JSON may stand, as `quiet` or `7`: what begins as a list, an object or a quoted text must be
 * JSON; of the rest what is not JSON is text.
 * @throws {TypedJsonError}
 */
export function readTypedValue(text: string, json5: () => Json5Library): unknown {
  if (/^\s*[[{"]/.test(text)) return readTypedJson(text, json5)
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return text
  }
}
