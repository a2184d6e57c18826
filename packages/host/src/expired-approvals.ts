import { approvalReel, type BeingName } from '@treeos/core'
import { appendSystemFacts, type OpenReality, readerOf } from '@treeos/reality'
import { findEntry, listOverdueApprovals } from '@treeos/store'
import { resumedWake } from '@treeos/world'

/** Calls in one page; the next sweep takes the others. */
const PAGE = 100

/**
 * Records that nobody answered calls in time, and tells the beings that asked. Several workers may do so at
 * once: the first one writes the fact.
 * @param onError gets the error of each that could not be recorded; the next sweep tries it again
 * @returns the beings that asked
 */
export async function expireApprovals(
  at: OpenReality,
  onError: (error: unknown) => void,
): Promise<BeingName[]> {
  const askers: BeingName[] = []
  for (const id of await listOverdueApprovals(at.db, PAGE)) {
    try {
      const reader = readerOf(at)
      const row = await reader.approval(id)
      const entry = row?.state === 'open' ? await findEntry(at.db, row.wake) : null
      if (row === null || entry === null) continue
      const fact = { reel: approvalReel(id), kind: 'approval:expired', payload: {} }
      const wake = resumedWake({ row, event: 'expired' }, entry)
      if (await appendSystemFacts(at, [fact], reader, [wake])) askers.push(row.asker)
    } catch (error) {
      onError(error)
    }
  }
  return askers
}
