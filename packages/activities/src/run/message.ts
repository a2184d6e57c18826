/** A message is for people, and travels on in notices; what a mind or a script wrote into it may be of any length. */
const MESSAGE_CHARS_MAX = 2000

/** Cut to a bound, and left with no half a character and no NUL, which not everything can store. */
export function messageOf(text: string): string {
  const cut =
    text.length > MESSAGE_CHARS_MAX
      ? `${text.slice(0, MESSAGE_CHARS_MAX)}… (${text.length} characters)`
      : text
  return cut.toWellFormed().replaceAll('\0', '\ufffd')
}
