import { asJson, type BeingName, canonicalJson, isSameJson, type Json } from '@treeos/core'

/**
 * A difference between a recorded and a recomputed value, which is in the field that `from` names. The other
 * of both fields is null.
 */
export interface Mismatch {
  readonly being: BeingName
  readonly n: number
  readonly field: string
  /** the replay that computed the other value. Needed because that value can itself be null */
  readonly from: 'chain' | 'temporal'
  readonly recorded: Json
  readonly chain: Json
  readonly temporal: Json
  /**
   * of a stack and what follows from it: who said that the being goes on all the same, and when, in ms since
   * 1970 UTC; left out where nobody did
   */
  readonly accepted?: { readonly by: BeingName; readonly at: number }
}

/**
 * Compares recorded with recomputed values of one moment by their canonical JSON, and collects the
 * differences.
 */
export class Comparison {
  readonly mismatches: Mismatch[] = []
  readonly #being: BeingName
  readonly #n: number
  readonly #witness: 'chain' | 'temporal'

  constructor(being: BeingName, n: number, witness: 'chain' | 'temporal') {
    this.#being = being
    this.#n = n
    this.#witness = witness
  }

  same(field: string, recorded: unknown, computed: unknown): void {
    if (isSameJson(recorded as Json, computed)) return
    if (canonicalJson(recorded) === canonicalJson(computed)) return // or throws: one of them is not JSON
    this.differ(field, recorded as Json, computed as Json)
  }

  /** Once for each value: a history says in several places which stack a moment wore. */
  differ(field: string, recorded: Json, computed: Json): void {
    const notAsked = { chain: null, temporal: null }
    const of = { being: this.#being, n: this.#n, field, from: this.#witness }
    const mismatch: Mismatch = { ...of, recorded, ...notAsked, [this.#witness]: computed }
    if (!this.mismatches.some((one) => isSameJson(asJson(one), asJson(mismatch))))
      this.mismatches.push(mismatch)
  }
}
