/**
 * What logs tell of errors whose message may not be logged: messages of Postgres and of providers quote what
 * they were given, such as rows and prompts.
 */

/** An error without its message. */
export function nameAndCode(error: unknown): { error: string; code?: string } {
  const name = error instanceof Error ? error.name : typeof error
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' || typeof code === 'number'
    ? { error: name, code: String(code) }
    : { error: name }
}

/**
 * The places in the code that an error came by, the innermost first. None of an error whose message cannot be
 * told apart from them.
 */
export function framesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const { stack = '', message } = error
  const at = stack.indexOf(message)
  const isHeader = at !== -1 && !stack.slice(0, at).includes('\n')
  const frames = isHeader ? stack.slice(at + message.length) : ''
  return frames
    .split('\n')
    .slice(1)
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
}
