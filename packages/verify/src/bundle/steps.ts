import { LIMITS, REFUSED_PREFIX, STEP_PREFIXES } from '@treeos/core'
import { at, type Json } from '../canonical.ts'
import { valueHash } from '../hash.ts'
import type { Moment } from '../moment.ts'

/** A call, by its digest, and how often in a row it was made. */
interface MadeCalls {
  readonly call: string
  readonly times: number
}

/** The steps of a bundle. Moments are taken in their order. */
export class Steps {
  /** most that the role of a moment allows, by the moment */
  readonly #allowed = new Map<string, number>()
  /** calls up to a moment, and with its own; none where that is not known */
  readonly #made = new Map<string, { readonly before: MadeCalls | null; readonly after?: MadeCalls }>()

  /**
   * Takes a moment.
   * @param role its primary; null where it wore none, or that is not here
   * @returns what is wrong with its step, in words; null where nothing is
   */
  take({ record, open, decision }: Pick<Moment, 'record' | 'open' | 'decision'>, role: Json): string | null {
    const moment = String(record.moment)
    const id = String(at(open, 'wake', 'id'))
    const isStep =
      at(open, 'wake', 'kind') === 'event' && STEP_PREFIXES.some((prefix) => id.startsWith(prefix))
    const prior = isStep ? id.slice(id.indexOf('/') + 1) : null
    if (role !== null) this.#allowed.set(moment, Number(at(role, 'steps') ?? LIMITS.stepsDefault))
    const repeats = this.#repeats(moment, prior, { id, decision })
    if (
      record.reason === 'repeated-call' &&
      record.outcome !== 'failure' &&
      (repeats ?? LIMITS.repeatsMax) < LIMITS.repeatsMax
    )
      return `it ends since it repeats a call, and made that ${repeats} times in a row`
    const allowed = prior === null ? undefined : this.#allowed.get(prior)
    const step = Number(at(open, 'wake', 'continues'))
    return allowed === undefined || (step > 0 && step <= allowed)
      ? null
      : `it is step ${step}, and the role before it allows ${allowed}`
  }

  /** How many times in a row the being has made its call. Null if the bundle does not say, or there was no call. */
  #repeats(
    moment: string,
    prior: string | null,
    { id, decision }: { id: string; decision: Json },
  ): number | null {
    const last = prior === null ? { before: null, after: undefined } : this.#made.get(prior)
    if (last === undefined) return null
    const before = prior === null || id.startsWith(REFUSED_PREFIX) ? last.before : last.after
    if (before === undefined) return null
    this.#made.set(moment, { before })
    if (at(decision, 'kind') !== 'call') return null
    const call = valueHash(at(decision, 'call') ?? null)
    const after = { call, times: before?.call === call ? before.times + 1 : 1 }
    this.#made.set(moment, { before, after })
    return after.times
  }
}
