import type { Json } from '@treeos/core'
import { jsonLine, plain, table } from '../text/output.ts'

/** A change of a context or of a permission; a side that is left out is missing. */
interface ShownChange {
  readonly path: string
  readonly from?: Json
  readonly to?: Json
}

export function shownChanges({ changes }: { readonly changes: readonly ShownChange[] }): string {
  if (changes.length === 0) return 'nothing would have to change'
  return table(changes.map((change) => [plain(change.path), changeText(change)]))
}

/** Of a list, only what is added. */
function changeText({ from, to }: ShownChange): string {
  if (Array.isArray(from) && Array.isArray(to)) return `+ ${to.slice(from.length).map(jsonLine).join(' ')}`
  const side = (value: Json | undefined) => (value === undefined ? 'missing' : jsonLine(value))
  return `${side(from)} → ${side(to)}`
}
