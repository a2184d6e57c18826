import { brandError } from '@treeos/core'

/** A vault did not answer. The message has no text of an overlay. */
export class VaultAwayError extends Error {
  override readonly name = 'VaultAwayError'
  /** nobody listens at the address, or what listens there has another key: the vault is gone */
  readonly isGone: boolean

  static {
    brandError(VaultAwayError, 'VaultAwayError')
  }

  constructor(why: string, isGone: boolean) {
    super(`the vault did not answer: ${why}`)
    this.isGone = isGone
  }
}
