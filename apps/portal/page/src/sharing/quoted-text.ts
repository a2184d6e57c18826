import { seen } from '../text/unseen-text.ts'

/**
 * A text of others in Markdown, as they wrote it: nothing in it is markup, whatever it holds, and characters
 * that show nothing are shown by their codes.
 */
export function quoted(text: string): string {
  const shown = seen(text)
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}text\n${shown}\n${fence}`
}

/** The same within a line: without line breaks, and without signs that Markdown reads. */
export const onOneLine = (text: string): string =>
  seen(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>()#+!|~-]/g, (sign) => `\\${sign}`)
