import { type BeingName, type MomentId, stanceOf, TreeosError } from '@treeos/core'
import type { AskedOf, Ties } from '../../rows/rows.ts'

/** A rule began to ask while the effect ran, as one may begin to refuse. */
export const tooLate = ([first]: readonly AskedOf[]): TreeosError => {
  const by = first?.by ?? ''
  return new TreeosError('FORBIDDEN', `not granted by ${by}: it asks since the effect was done`, {
    answer: 'ask',
    by,
  })
}

/** A rule asks more persons than there are, beside who makes the call. */
export function tooFewToAsk(
  { by, count }: Pick<AskedOf, 'by' | 'count'>,
  asker: BeingName,
  others: readonly BeingName[],
): TreeosError {
  const whom = others.length === 0 ? 'nobody else' : others.map(stanceOf).join(' and ')
  const why = `it asks for the yes of ${count}, and there is ${whom} to ask beside ${stanceOf(asker)}`
  return new TreeosError('FORBIDDEN', `not granted by ${by}: ${why}`, {
    answer: 'ask',
    by,
    stance: stanceOf(asker),
  })
}

/** A yes does not hold. */
export const voided = (id: MomentId | null, why: string): TreeosError =>
  new TreeosError('FORBIDDEN', `the yes ${id ?? ''} does not hold: ${why}`, {
    answer: 'ask',
    by: `approval ${id ?? ''}`,
  })

const WHAT_CHANGED: Readonly<Record<keyof Ties, string>> = {
  call: 'the call is not the one',
  roles: 'the roles that it wears are not those',
  ceilings: 'its ceilings are not those',
  rules: 'the rules of the place are not those',
  lease: 'the lease is not the one',
  operation: 'the code of the operation is not the one',
}

/** Something that a yes rests on is not as it was. */
export const changed = (id: MomentId, tie: keyof Ties): TreeosError =>
  voided(id, `${WHAT_CHANGED[tie]} that it was given for`)
