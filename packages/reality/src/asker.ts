import { actWakeId, parseMomentId, type Wake } from '@treeos/core'
import { type Db, findOpen, findOutcomeOfWake } from '@treeos/store'
import type { Asker } from '@treeos/world'
import { readFace } from './blobs.ts'

/** The being that summoned, with its surface and driver at that moment. Null when no being summoned. */
export async function askerOf(db: Db, wake: Wake): Promise<Asker | null> {
  if (wake.kind !== 'summon' || wake.caller === null) return null
  // The id of a summon is the id of the moment that sent it, or the id with which a person submitted the act.
  const moment = (await findOutcomeOfWake(db, actWakeId(wake.id)))?.moment ?? wake.id
  if (parseMomentId(moment).being !== wake.caller.name) return null
  const open = await findOpen(db, moment)
  if (open === null || open.face === null) return null
  const face = await readFace(db, open.face)
  if (face === null) return null
  const { driver, own } = open.record
  return { surface: face.surface, driver, lender: own === true ? null : driver }
}
