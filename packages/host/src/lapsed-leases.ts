import type { BeingName } from '@treeos/core'
import { appendSystemFacts, type OpenReality, readerOf } from '@treeos/reality'
import { type Lease, listLapsedLeases } from '@treeos/store'
import { releasedFact } from '@treeos/world'

/**
 * Leases in one page. A sweep releases every page, so leases that cannot be released do not hold up the
 * others.
 */
const PAGE_LEASES = 100

/**
 * Records the release of leases that expired, or whose driver lost the lease that it acted under. Several
 * workers may do so at once: the first one writes the fact.
 * @param onError gets the error of each lease that could not be released; the next sweep tries it again
 * @returns beings that decide for themselves again
 */
export async function releaseLapsed(
  at: OpenReality,
  onError: (error: unknown) => void,
): Promise<BeingName[]> {
  const freed: BeingName[] = []
  for (let after: BeingName | null = ''; after !== null; ) {
    const page: readonly Lease[] = await listLapsedLeases(at.db, PAGE_LEASES, after)
    for (const { being, epoch } of page) {
      try {
        if (await releaseOne(at, being, epoch)) freed.push(being)
      } catch (error) {
        onError(error)
      }
    }
    after = page.length < PAGE_LEASES ? null : (page.at(-1)?.being ?? null)
  }
  return freed
}

async function releaseOne(at: OpenReality, being: BeingName, epoch: number): Promise<boolean> {
  const reader = readerOf(at)
  const row = await reader.being(being)
  if (row?.inhabited?.by == null || row.inhabited.epoch !== epoch) return false
  const fact = releasedFact(being, { by: row.inhabited.by, epoch }, 'lapsed')
  return (await appendSystemFacts(at, [fact], reader)) !== null
}
