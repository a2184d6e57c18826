/**
 * A text as one word of a POSIX shell and of an `.env` file: as it is where nothing in it means anything to
 * them.
 */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
