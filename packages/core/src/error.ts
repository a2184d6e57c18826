import { brandError } from './error-brand.ts'
import type { Json } from './json.ts'

/** All error codes that users see, with the HTTP status of each. */
export const ERROR_STATUS = {
  INVALID_INPUT: 400,
  INVALID_TYPE: 400,
  ADDRESS_PARSE_ERROR: 400,
  UNAUTHORIZED: 401,
  BUDGET_EXCEEDED: 402,
  FORBIDDEN: 403,
  EXTENSION_BLOCKED: 403,
  SPACE_NOT_FOUND: 404,
  BEING_NOT_FOUND: 404,
  MATTER_NOT_FOUND: 404,
  EXTENSION_NOT_FOUND: 404,
  ROLE_UNAVAILABLE: 404,
  VERB_NOT_SUPPORTED: 404,
  ACTION_NOT_SUPPORTED: 404,
  CORRELATION_NOT_FOUND: 404,
  MOMENT_NOT_FOUND: 404,
  RESOURCE_CONFLICT: 409,
  CANCELLED: 409,
  BEING_ENDED: 410,
  OVERLAY_LOST: 410,
  PAYLOAD_TOO_LARGE: 413,
  NO_ANSWER: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  TIMEOUT: 500,
  LLM_TIMEOUT: 503,
  LLM_FAILED: 503,
  LLM_NOT_CONFIGURED: 503,
  SERVICE_UNAVAILABLE: 503,
} as const
export type ErrorCode = keyof typeof ERROR_STATUS

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_STATUS, code)
}

/** An error that a user can act on. The message names the offending value and what would be right. */
export class TreeosError extends Error {
  override readonly name = 'TreeosError' // crosses the wire as the failure's type: do not rename
  readonly code: ErrorCode
  readonly detail: Json | undefined

  static {
    brandError(TreeosError, 'TreeosError')
  }

  /** @param options `cause` is for debugging only: it is not recorded, and not sent */
  constructor(code: ErrorCode, message: string, detail?: Json, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.detail = detail
  }

  toJSON(): { code: ErrorCode; message: string; detail?: Json } {
    const { code, message, detail } = this
    return detail === undefined ? { code, message } : { code, message, detail }
  }
}

/** Messages go into notices, and may hold text of any length from a model, a script or an extension. */
const MESSAGE_CHARS_MAX = 2000

/** Cuts a message to 2000 characters, and replaces lone surrogates and NULs, which Postgres cannot store. */
export function storableMessage(text: string): string {
  const cut =
    text.length > MESSAGE_CHARS_MAX
      ? `${text.slice(0, MESSAGE_CHARS_MAX)}… (${text.length} characters)`
      : text
  return cut.toWellFormed().replaceAll('\0', '\ufffd')
}
