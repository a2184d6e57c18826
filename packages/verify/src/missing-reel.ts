/** Something that a derivation needs, and that a witness does not show. */
export class NotShownError extends Error {
  override readonly name: string = 'NotShownError'
}

/** A reel that a derivation needs, and that is not there as a whole. */
export class MissingReel extends NotShownError {
  override readonly name = 'MissingReel'
  readonly reel: string

  constructor(reel: string) {
    super(`the witness does not hold the reel ${reel}`)
    this.reel = reel
  }
}
