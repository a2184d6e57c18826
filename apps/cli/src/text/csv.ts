import { plain } from './output.ts'

/** A cell of a table that a spreadsheet reads. */
export type Cell = string | number | boolean | null | undefined

/** What spreadsheets take for a formula, where it begins a cell. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/**
 * Rows as RFC 4180 has them. A text that a spreadsheet would take for a formula gets an apostrophe before it:
 * beings and strangers wrote it.
 */
export const csvOf = (head: readonly Cell[], rows: readonly (readonly Cell[])[]): string =>
  [head, ...rows].map((row) => row.map(cellText).join(',')).join('\r\n')

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = plain(FORMULA.test(cell) ? `'${cell}` : cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A stance as a cell: a spreadsheet would take the `@` for a formula. */
export const nameCell = (stance: string | null | undefined): Cell => stance?.replace(/^@/, '')
