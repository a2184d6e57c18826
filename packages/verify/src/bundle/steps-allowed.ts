import { CONTINUE_PREFIX, LIMITS, LOOK_PREFIX, REFUSED_PREFIX } from '@treeos/core'
import { at, type Json } from '../canonical.ts'

const STEPS = [CONTINUE_PREFIX, LOOK_PREFIX, REFUSED_PREFIX]

/** How many steps the roles of a bundle allow. Moments are taken in their order. */
export class StepsAllowed {
  /** by the moment that wore the role */
  readonly #allowed = new Map<string, number>()

  /**
   * Takes a moment.
   * @param role its primary; null where it wore none, or that is not here
   * @returns what is wrong with the number of its step, in words; null where nothing is
   */
  take(open: Json, role: Json): string | null {
    if (role !== null)
      this.#allowed.set(String(at(open, 'moment')), Number(at(role, 'steps') ?? LIMITS.stepsDefault))
    const id = String(at(open, 'wake', 'id'))
    if (at(open, 'wake', 'kind') !== 'event' || !STEPS.some((prefix) => id.startsWith(prefix))) return null
    const allowed = this.#allowed.get(id.slice(id.indexOf('/') + 1))
    const step = Number(at(open, 'wake', 'continues'))
    return allowed === undefined || (step > 0 && step <= allowed)
      ? null
      : `it is step ${step}, and the role before it allows ${allowed}`
  }
}
