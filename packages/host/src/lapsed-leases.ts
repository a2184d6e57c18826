import { listLapsedLeases } from '@treeos/chain'
import type { BeingName } from '@treeos/core'
import { appendSystemFacts, type OpenReality, readerOf } from '@treeos/reality'
import { releasedFact } from '@treeos/world'

/** Most leases that one sweep releases. */
const LAPSED_MAX = 100

/**
 * Records the release of leases that expired, or whose driver lost the lease that it acted under. Several workers may do so
 * at once: the first one writes the fact.
 * @returns beings that decide for themselves again
 * @throws the first error, when no lease could be released
 */
export async function releaseLapsed(at: OpenReality): Promise<BeingName[]> {
  const freed: BeingName[] = []
  const failed: unknown[] = []
  for (const { being, epoch } of await listLapsedLeases(at.db, LAPSED_MAX)) {
    try {
      if (await releaseOne(at, being, epoch)) freed.push(being)
    } catch (error) {
      failed.push(error) // one lease that cannot be released must not block the others
    }
  }
  if (freed.length === 0 && failed.length > 0) throw failed[0]
  return freed
}

async function releaseOne(at: OpenReality, being: BeingName, epoch: number): Promise<boolean> {
  const reader = readerOf(at)
  const row = await reader.being(being)
  if (row?.inhabited?.by == null || row.inhabited.epoch !== epoch) return false
  const fact = releasedFact(being, { by: row.inhabited.by, epoch }, 'lapsed')
  return appendSystemFacts(at, [fact], reader)
}
