import { type Breach, beingReel, type FactDraft, type JsonObject, stanceOf, type Wake } from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import type { OpenRecord } from '@treeos/store'
import { OPERATOR, type WorldReader, whyParked } from '@treeos/world'
import { answeredBy, eventWake } from './follow-up.ts'

/** The fact that parks a being at a limit, and the notice about it. A parked being opens no moments until approval. */
export interface Parking {
  readonly fact: FactDraft
  /** for the approver; it replaces the notice of the failure */
  readonly notice: Wake
}

/** Parks a being. The approver is the parent of the being that has the limit: the nearest being that can raise it. */
export async function park(
  reader: WorldReader,
  input: StampInput,
  open: OpenRecord,
  breach: Breach,
): Promise<Parking> {
  const payload = { breach: breach as unknown as JsonObject }
  const approver = (await reader.being(breach.of))?.parent ?? OPERATOR
  const content = {
    event: 'parked',
    actor: stanceOf(input.being),
    correlation: answeredBy(open),
    code: 'BUDGET_EXCEEDED',
    message: whyParked(input.being, breach),
    budget: { ...breach, of: stanceOf(breach.of) },
  }
  const id = `parked/${input.moment}`
  return {
    fact: { reel: beingReel(input.being), kind: 'being:parked', payload },
    // The notice has a thread of its own: the parking affects all threads of the being.
    notice: { ...eventWake(approver, id, content, open.wake), root: id },
  }
}
