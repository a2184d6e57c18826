import type { Json } from '@treeos/core'
import { actualText, type HiddenPlace } from '@treeos/roles'
import { jsonLine, plain, table } from '../text/output.ts'

/** A change of a context or of a permission; a side that is left out is missing. */
interface ShownChange {
  readonly path: string
  readonly from?: Json
  readonly to?: Json
  readonly hidden?: HiddenPlace
}

export function shownChanges({ changes }: { readonly changes: readonly ShownChange[] }): string {
  if (changes.length === 0) return 'nothing would have to change'
  return table(changes.map((change) => [plain(change.path), changeText(change)]))
}

/** Of a list, only what is added. */
function changeText({ from, to, ...change }: ShownChange): string {
  if (Array.isArray(from) && Array.isArray(to)) return `+ ${to.slice(from.length).map(jsonLine).join(' ')}`
  const side = (actual: Json | undefined, hidden = {}) =>
    actualText({ ...hidden, ...(actual === undefined ? {} : { actual }) }, jsonLine)
  return `${side(from, change)} → ${side(to)}`
}
