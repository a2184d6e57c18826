/** A workflow was started for a name that no being has. Retries cannot help. */
export class UnknownBeingError extends Error {
  override readonly name = 'UnknownBeingError' // crosses the wire as the failure's type: do not rename
}
