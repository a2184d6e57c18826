import { createRequire } from 'node:module'
import { type Json, TreeosError } from '@treeos/core'
import { type Json5Library, readTypedJson, readTypedValue, TypedJsonError } from '@treeos/core/typed-json'

const require = createRequire(import.meta.url)
const json5 = (): Json5Library => require('json5') // only now: few commands read it

/**
 * Reads JSON that somebody wrote by hand, in the notation of the sources too: see `readTypedJson`.
 * @param what the file or argument, for the message
 * @throws {TreeosError} INVALID_INPUT with line and column of the first fault
 */
export const parseJsonText = (text: string, what: string): unknown =>
  telling(text, what, () => readTypedJson(text, json5))

/** Reads a value that was given as an argument: JSON, or a bare word. @throws as {@link parseJsonText} */
export const parseValueText = (text: string, what: string): Json =>
  telling(text, what, () => readTypedValue(text, json5)) as Json

function telling<T>(text: string, what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TypedJsonError)) throw error
    const { line, column, isSyntax, message } = error
    const where = text.includes('\n') ? `line ${line}, column ${column}` : `column ${column}`
    const why = isSyntax ? `${what} is not JSON: ${where}: ${message}` : `${what}, ${where}: ${message}`
    throw new TreeosError('INVALID_INPUT', why, { line, column })
  }
}
