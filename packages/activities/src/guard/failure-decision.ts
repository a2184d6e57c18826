import type { Decision } from '@treeos/core'

/** A decision of kind failure; its message is cut to 2000 characters. */
export const failureDecision = (code: string, message: string): Extract<Decision, { kind: 'failure' }> => ({
  kind: 'failure',
  code,
  message: messageOf(message),
})

/** Messages go into notices, and may hold text of any length from a model or a script. */
const MESSAGE_CHARS_MAX = 2000

/** Cuts a message to the limit, and replaces lone surrogates and NULs, which Postgres cannot store. */
export function messageOf(text: string): string {
  const cut =
    text.length > MESSAGE_CHARS_MAX
      ? `${text.slice(0, MESSAGE_CHARS_MAX)}… (${text.length} characters)`
      : text
  return cut.toWellFormed().replaceAll('\0', '\ufffd')
}
