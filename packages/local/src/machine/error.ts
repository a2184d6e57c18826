/**
 * Something on this machine is missing or broken, or was named wrongly. The message says what, and what to
 * do.
 */
export class LocalError extends Error {
  override readonly name: string = 'LocalError'
  readonly code: 'SERVICE_UNAVAILABLE' | 'INVALID_INPUT'

  constructor(message: string, { code, cause }: { code?: LocalError['code']; cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code ?? 'SERVICE_UNAVAILABLE'
  }
}

/** The `code` of a system error (`ENOENT`, `EEXIST`, …) or undefined for any other value. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Refused connections come as an AggregateError with an empty message, one error an address. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
