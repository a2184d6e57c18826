/** The worker cannot start with these settings. The message says what to change. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
