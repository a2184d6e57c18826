/** Problem details, as the API answers a refusal. */
interface Details {
  readonly code: string
  readonly detail: string
  readonly status: number
  readonly context?: unknown
}

/** A refusal of the API: its code, and in words what is wrong. */
export class Problem extends Error {
  override readonly name = 'Problem'
  /** as on the command line, such as FORBIDDEN */
  readonly code: string
  readonly status: number
  /** the particulars, such as the moment that was refused */
  readonly context: unknown

  constructor({ code, detail, status, context }: Details) {
    super(detail)
    this.code = code
    this.status = status
    this.context = context
  }
}

/** The problem that a response tells of. A proxy in front of the API may answer without one. */
export function problemIn(response: { readonly status: number }, body: unknown): Problem {
  const { status } = response
  const told = (typeof body === 'object' && body !== null ? body : {}) as Partial<Details>
  return new Problem({
    code: told.code ?? 'INTERNAL',
    detail: told.detail ?? `the server answered ${status}`,
    status,
    context: told.context,
  })
}
