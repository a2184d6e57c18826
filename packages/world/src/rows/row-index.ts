import { parentPath, type RowIndex } from '@treeos/core'
import { accountOf } from './budgets.ts'
import { effectiveCognition, leaseOf } from './inhabitation.ts'
import { type BeingRow, type Row, withKind } from './rows.ts'
import { watchesOf } from './watches.ts'

/** How a row is found: the columns that are kept beside it. */
export function indexOf(key: string, row: Row): RowIndex {
  const found = withKind(key, row)
  switch (found.kind) {
    case 'being': {
      const being = found.row
      return {
        place: being.ended === undefined ? being.space : null,
        parent: being.parent,
        cognition: cognitionOf(being),
        watches: watchesOf(being),
        account: accountOf(being),
        lease: leaseOf(being),
      }
    }
    case 'space':
      return { ...NOWHERE, place: parentPath(found.row.path) }
    case 'matter':
      return { ...NOWHERE, place: found.row.place }
    default:
      return NOWHERE
  }
}

/**
 * What the claim of its wakes reads: who decides for it, or that nobody does. Whoever drives a paused being
 * acts by it.
 */
function cognitionOf(being: BeingRow): string {
  if (being.ended !== undefined) return 'ended'
  const decides = effectiveCognition(being)
  return being.paused !== undefined && decides !== 'human' ? 'paused' : decides
}

const NOWHERE: RowIndex = {
  place: null,
  parent: null,
  cognition: null,
  watches: [],
  account: null,
  lease: null,
}
