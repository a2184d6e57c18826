/**
 * Code of extensions can throw anything, such as a proxy, or an object without a text. Nothing here throws.
 */

const UNREADABLE = 'something that cannot be read'

/** Reads something of what was thrown. @returns `otherwise` when the reading itself throws */
export function readThrown<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** The class of an error; the type of anything else. */
export const classOfThrown = (thrown: unknown): string =>
  readThrown(() => (thrown instanceof Error ? String(thrown.name) : typeof thrown), UNREADABLE)

/** The message of an error; the text of anything else. */
export const messageOfThrown = (thrown: unknown): string =>
  readThrown(() => (thrown instanceof Error ? String(thrown.message) : String(thrown)), UNREADABLE)
