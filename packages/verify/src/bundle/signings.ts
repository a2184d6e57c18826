import type { Json } from '../canonical.ts'
import type { Head } from '../heads.ts'
import type { Moment } from '../moment.ts'
import { signerOf, signingOf } from '../passkey.ts'
import type { Passkeys } from '../passkeys.ts'

/** A wrong signature, and the reel of the person whose it should be. */
export interface WrongSignature {
  readonly what: string
  readonly reel: string
}

/** What passkeys show of the acts of persons in a bundle. */
export class Signings {
  /** wakes of acts that a passkey signed */
  readonly #signed = new Set<Json>()
  /** in words, by how many acts: those of which no passkey shows who made them */
  readonly #unsigned = new Map<string, number>()
  /** persons of whose passkeys the bundle does not tell, and whose acts have no signature */
  readonly #hidden = new Set<string>()

  /**
   * Checks the signature of an act with the passkeys that its person had.
   * @param isWhole whether the bundle holds a reel from its first fact on
   * @returns null where nothing is wrong
   */
  take(
    reality: string,
    moment: Moment,
    {
      basis,
      passkeys,
      isWhole,
    }: { basis: readonly Head[]; passkeys: Passkeys; isWhole: (reel: string) => boolean },
  ): WrongSignature | null {
    const { record, open } = moment
    const being = String(record.being)
    const reel = `being:${signerOf(open, being)}`
    const [, seq] = basis.find(([read]) => read === reel) ?? []
    const keys = seq !== undefined && isWhole(reel) ? passkeys.at(reel, seq) : null
    const signing = signingOf(reality, moment, keys)
    if (signing.kind === 'wrong') return { reel, what: `@${signing.by}: ${signing.why}` }
    if (signing.kind === 'signed' && typeof record.wake === 'string') {
      const isAgain = this.#signed.has(record.wake)
      this.#signed.add(record.wake)
      return isAgain ? { reel, what: 'the same signature stands at another act' } : null
    }
    if (signing.kind === 'unknown' && !signing.isSigned) this.#hidden.add(signing.by)
    else if (signing.kind === 'unsigned' || signing.kind === 'unknown') {
      const why = signing.kind === 'unknown' ? signing.why : 'it had one and did not use it'
      const text = `that @${signing.by} made them is not shown by a passkey: ${why}`
      this.#unsigned.set(text, (this.#unsigned.get(text) ?? 0) + 1)
    }
    return null
  }

  /** In words, of whom it is not known whether it should have signed. */
  get hidden(): string[] {
    return [...this.#hidden].map((by) => `whether @${by} had a passkey for its acts is not in the bundle`)
  }

  /** In words, which acts no passkey shows. */
  get uncovered(): string[] {
    return [...this.#unsigned].map(([text, count]) => `of ${count} acts ${text}`)
  }
}
