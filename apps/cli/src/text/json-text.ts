import { createRequire } from 'node:module'
import { TreeosError } from '@treeos/core'
import type { ParseError } from 'jsonc-parser'

const require = createRequire(import.meta.url)

/** characters of the fault that a message shows */
const SHOWN = 12

/**
 * Reads JSON that somebody wrote by hand.
 * @param what the file or argument, for the message
 * @throws {TreeosError} INVALID_INPUT with line and column of the first fault
 */
export function parseJsonText(text: string, what: string): unknown {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  try {
    return JSON.parse(source)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const at = faultOffset(source)
    const before = source.slice(0, at)
    const line = before.split('\n').length
    const column = at - before.lastIndexOf('\n')
    const where = source.includes('\n') ? `line ${line}, column ${column}` : `column ${column}`
    const found =
      at >= source.length ? 'it ends here' : `${JSON.stringify(source.slice(at, at + SHOWN))} stands here`
    throw new TreeosError('INVALID_INPUT', `${what} is not JSON: ${where}: ${found}`, { line, column })
  }
}

/** Where the first fault stands. The engine's own messages name the place of some faults only. */
function faultOffset(text: string): number {
  const jsonc: typeof import('jsonc-parser') = require('jsonc-parser') // only now: few commands read a fault
  const faults: ParseError[] = []
  jsonc.parse(text, faults, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
  return faults[0]?.offset ?? text.length
}
