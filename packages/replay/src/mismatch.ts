import { type BeingName, canonicalJson, type Json } from '@treeos/core'

/** Where what was recorded and what was computed again differ; null stands for a witness that was not asked. */
export interface Mismatch {
  readonly being: BeingName
  readonly n: number
  readonly field: string
  readonly recorded: Json
  readonly chain: Json
  readonly temporal: Json
}

/** Compares what was recorded with what a witness computes, field by field, by their canonical bytes. */
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
    if (canonicalJson(recorded) === canonicalJson(computed)) return
    this.differ(field, recorded as Json, computed as Json)
  }

  differ(field: string, recorded: Json, computed: Json): void {
    const notAsked = { chain: null, temporal: null }
    this.mismatches.push({
      being: this.#being,
      n: this.#n,
      field,
      recorded,
      ...notAsked,
      [this.#witness]: computed,
    })
  }
}
