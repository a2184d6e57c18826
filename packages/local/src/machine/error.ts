/** Something on this machine is missing or broken. The message says what, and what to do. */
export class LocalError extends Error {
  override readonly name: string = 'LocalError'
  readonly code = 'SERVICE_UNAVAILABLE'
}

/** The `code` of a system error (`ENOENT`, `EEXIST`, …) or undefined for any other value. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
