import { isJsonObject, type Json, type JsonObject, TreeosError } from '@treeos/core'
import { failureOf } from './failure.ts'
import { parseJsonText } from './json-text.ts'
import type { ExitStatus, Output } from './output.ts'

/** More than any flow or role needs. Keeps a file without newlines from filling the memory. */
const LINE_BYTES_MAX = 16 * 1024 * 1024
const NEWLINE = 0x0a

/**
 * Answers each line with one line. For a line that cannot be answered that is `{"id","error"}`; the next
 * lines go on.
 * @returns 1 when any line could not be answered
 */
export async function answerLines(
  input: AsyncIterable<Buffer>,
  answer: (input: unknown) => JsonObject,
  out: Output,
): Promise<ExitStatus> {
  let status: ExitStatus = 0
  let number = 0
  for await (const bytes of inputLines(input)) {
    number += 1
    if (isBlank(bytes)) continue
    let id: Json = null
    try {
      const value = parseJsonText(jsonLineText(bytes, number), `line ${number}`)
      if (isJsonObject(value) && Object.hasOwn(value, 'id')) id = value.id ?? null
      out.jsonLine(answer(value))
    } catch (error) {
      status = 1
      out.jsonLine({ id, error: failureOf(error) })
    }
    if (out.isGone) break
    await out.drained()
  }
  return status
}

function jsonLineText(bytes: Buffer, number: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new TreeosError('INVALID_INPUT', `line ${number} is not UTF-8 text`)
  }
}

/** Splits at newlines only: JSON strings may contain the other line ends of Unicode. */
async function* inputLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)])
      rest = []
      size = 0
      from = at + 1
    }
    size += chunk.length - from
    if (size > LINE_BYTES_MAX)
      throw new TreeosError('PAYLOAD_TOO_LARGE', `a line has more than ${LINE_BYTES_MAX} bytes`)
    if (from < chunk.length) rest.push(chunk.subarray(from))
  }
  yield Buffer.concat(rest)
}

const isBlank = (line: Buffer): boolean =>
  line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)
