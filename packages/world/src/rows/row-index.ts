import { parentPath, type RowIndex } from '@treeos/core'
import { accountOf } from './budgets.ts'
import { effectiveCognition, leaseOf } from './inhabiting.ts'
import type { BeingRow, MatterRow, Row, SpaceRow } from './rows.ts'
import { watchesOf } from './watches.ts'

/** How a row is found: the columns that are kept beside it. */
export function indexOf(key: string, row: Row): RowIndex {
  if (key.startsWith('being:')) {
    const being = row as BeingRow
    return {
      place: being.space,
      parent: being.parent,
      cognition: effectiveCognition(being),
      watches: watchesOf(being),
      account: accountOf(being),
      lease: leaseOf(being),
    }
  }
  if (key.startsWith('space:')) return { ...NOWHERE, place: parentPath((row as SpaceRow).path) }
  if (key.startsWith('matter:')) return { ...NOWHERE, place: (row as MatterRow).place }
  return NOWHERE
}

const NOWHERE: RowIndex = {
  place: null,
  parent: null,
  cognition: null,
  watches: [],
  account: null,
  lease: null,
}
