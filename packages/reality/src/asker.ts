import { type Db, findEntry, getBlob, readOpen, readOutcomeOfWake } from '@treeos/chain'
import { actWakeId, type BeingName, parseMomentId, type Wake } from '@treeos/core'
import type { Asker, Face } from '@treeos/world'

/** Whoever summoned, as it was in the very moment in which it spoke; null when nobody did. */
export async function askerOf(db: Db, wake: Wake): Promise<Asker | null> {
  if (wake.kind !== 'summon' || wake.caller === null) return null
  // A summon has the id of the moment it was spoke in, or the one that a person's act was put in with.
  const moment = (await readOutcomeOfWake(db, actWakeId(wake.id)))?.moment ?? wake.id
  if (parseMomentId(moment).being !== wake.caller.name) return null
  const open = await readOpen(db, moment)
  if (open === null || open.face === null) return null
  const face = (await getBlob(db, open.face)) as unknown as Face | null
  if (face === null) return null
  const { driver, own } = open.record
  return { surface: face.surface, driver, lender: own === true ? null : driver }
}

/** Whoever said what a wake's chain began with; null when that was nobody. */
export async function openerOf(db: Db, { id, root, caller }: Wake): Promise<BeingName | null> {
  const first = root === id ? caller : (await findEntry(db, root))?.caller
  return first?.name ?? null
}
