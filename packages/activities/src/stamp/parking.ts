import type { OpenRecord } from '@treeos/chain'
import { type Breach, beingReel, type FactDraft, type JsonObject, stanceOf, type Wake } from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import { OPERATOR, type WorldReader, whyParked } from '@treeos/world'
import { eventWake } from './follow-up.ts'

/** A being that met a limit opens no further moment until somebody approves. */
export interface Parking {
  readonly fact: FactDraft
  /** for whoever may approve; it says all that a notice of the failure would */
  readonly notice: Wake
}

/** The maker of the being whose limit it is approves: it is the nearest that can raise it. */
export async function park(
  reader: WorldReader,
  input: StampInput,
  { wake }: OpenRecord,
  breach: Breach,
): Promise<Parking> {
  const payload = { breach: breach as unknown as JsonObject }
  const approver = (await reader.being(breach.of))?.parent ?? OPERATOR
  const content = {
    event: 'parked',
    actor: stanceOf(input.being),
    correlation: wake.id,
    code: 'BUDGET_EXCEEDED',
    message: whyParked(input.being, breach),
    budget: { ...breach, of: stanceOf(breach.of) },
  }
  const id = `parked/${input.moment}`
  return {
    fact: { reel: beingReel(input.being), kind: 'being:parked', payload },
    // It concerns the being in all its threads, so it outlives the one in which it was met.
    notice: { ...eventWake(approver, id, content, wake), root: id },
  }
}
