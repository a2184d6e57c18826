import { type Digest, frozen, isSameJson, type Json } from '@treeos/core'
import { digestOf } from '@treeos/store'

/**
 * The digest of a value that mostly is what it was the last time. Comparing it with that one costs less than
 * writing and hashing it. Both values are recomputed ones, so nothing recorded is believed. The value is
 * frozen, because a digest is only true of what does not change.
 */
export class LastDigest {
  #last: { readonly value: Json; readonly digest: Digest } | null = null

  /** @throws {NotPlainJsonError} for what is not plain JSON */
  of(value: unknown): Digest {
    if (this.#last === null || !isSameJson(this.#last.value, value))
      this.#last = { digest: digestOf(value), value: frozen(value as Json) }
    return this.#last.digest
  }
}

/** The last digests of one being's moments. */
export class LastDigests {
  readonly program = new LastDigest()
  readonly stack = new LastDigest()
  readonly surface = new LastDigest()
}
