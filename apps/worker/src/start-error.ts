/** A worker that cannot start as it is told to: the message says what to change. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
