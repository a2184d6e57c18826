import { TreeosError } from '@treeos/core'

const TOKEN =
  /[ \t\n\r]*(?:([{}[\]:,])|("(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/uy
/** characters of the fault that a message shows */
const SHOWN = 12
const SPACE = /[ \t\n\r]*/y

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

/** Where the first token stands that JSON does not allow; the engine's own messages tell it for some faults only. */
function faultOffset(text: string): number {
  const open: string[] = []
  let expects: 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'more' = 'value'
  for (let at = 0; ; at = TOKEN.lastIndex) {
    SPACE.lastIndex = at
    SPACE.test(text)
    const start = SPACE.lastIndex
    TOKEN.lastIndex = at
    const match = TOKEN.exec(text)
    if (match === null) return start
    const [, sign, string, scalar] = match
    const isValue = string !== undefined || scalar !== undefined
    const closes: string = open.at(-1) === '{' ? '}' : ']'
    if (sign === closes && open.length > 0 && (expects === 'more' || expects.endsWith('-or-end'))) {
      open.pop()
      expects = 'more'
    } else if (expects === 'more') {
      if (sign !== ',' || open.length === 0) return start
      expects = open.at(-1) === '{' ? 'key' : 'value'
    } else if (expects === 'colon') {
      if (sign !== ':') return start
      expects = 'value'
    } else if (expects.startsWith('key')) {
      if (string === undefined) return start
      expects = 'colon'
    } else if (isValue) {
      expects = 'more'
    } else if (sign === '{' || sign === '[') {
      open.push(sign)
      expects = sign === '{' ? 'key-or-end' : 'value-or-end'
    } else return start
  }
}
