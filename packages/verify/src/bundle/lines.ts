import { isObject, type JsonObject, parseCanonical } from '../canonical.ts'
import { lineHash } from '../hash.ts'
import type { FoundFault } from './causes.ts'

/** Longer lines are refused: a fact has 64 KiB at most, a basis some thousand reels. */
const LINE_BYTES_MAX = 64 * 1024 * 1024
/** No canonical JSON ends with it. */
const CARRIAGE_RETURN = 13
const SUM_LENGTH = ',"sum":""}'.length + 64

/**
 * Reads the lines of a bundle: each is canonical JSON, says its number, and ends with a sum over itself and
 * the line before it. A line that is changed, moved, doubled or dropped is reported once, where it is; the
 * lines behind it are checked by what it says.
 * @param report called for each faulty line
 * @returns each line that is a JSON object, faulty or not
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  report: (fault: FoundFault) => void,
): AsyncGenerator<{ readonly line: number; readonly value: JsonObject }> {
  let line = 0
  let expected = 1
  let before = ''
  let isToldOfBreaks = false
  for await (const whole of split(source)) {
    line += 1
    const bytes = whole?.at(-1) === CARRIAGE_RETURN ? whole.subarray(0, -1) : whole
    const broken = (what: string, more: Partial<FoundFault> = {}) =>
      report({ line, reel: 'bundle', seq: line, reason: 'line-mismatch', what, ...more })
    if (bytes !== whole && !isToldOfBreaks) {
      isToldOfBreaks = true
      const what = 'its lines end with CR LF: a transfer as text changed it, so fetch it again as binary'
      broken(what, { reason: 'not-canonical' })
    }
    const { text, value, why } = readBundleLine(bytes)
    if (value === null) {
      broken(why, { reason: 'not-canonical' })
      expected += 1
      before = text.slice(-66, -2)
      continue
    }
    const sum = String(value.sum)
    const number = Number(value.line)
    if (value.line !== expected)
      broken(`it says that it is line ${value.line}, and line ${expected} is due here`, { isElsewhere: true })
    else if (sum !== lineHash(before, `${text.slice(0, -SUM_LENGTH)}}`) || !text.endsWith(`,"sum":"${sum}"}`))
      broken('its sum does not fit: this line was changed, or the sum of the one before it')
    expected = (Number.isSafeInteger(number) ? number : expected) + 1
    before = sum
    yield { line, value }
  }
}

function readBundleLine(bytes: Uint8Array | null): { text: string; value: JsonObject | null; why: string } {
  if (bytes === null) return { text: '', value: null, why: 'the file does not end with a line break' }
  let text = ''
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value = parseCanonical(text)
    return { text, value: isObject(value) ? value : null, why: 'it is not a JSON object' }
  } catch (error) {
    return { text, value: null, why: `it is not canonical JSON: ${(error as Error).message}` }
  }
}

/** Yields each line without its break; null at the end for a line that has none. */
async function* split(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | null> {
  let rest: Uint8Array[] = []
  let length = 0
  for await (const chunk of source) {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, end)])
      ;[rest, length, from] = [[], 0, end + 1]
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > LINE_BYTES_MAX)
      throw new Error(`a line is longer than ${LINE_BYTES_MAX} bytes: this is not a bundle`)
  }
  if (rest.length > 0) yield null
}
