import { quote } from '@treeos/core'

/**
 * What is wrong with a flow and where: `[2].when.or[1]["time.hour"].gtt`; the empty path is the flow itself.
 */
export interface ParseFault {
  readonly path: string
  readonly message: string
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

export function under(at: string, key: string): string {
  return IDENTIFIER.test(key) ? `${at}.${key}` : `${at}[${JSON.stringify(key)}]`
}

/**
 * A path as `NotPlainJsonError` writes it, `$["when"]["time.hour"]`, in this notation: `.when["time.hour"]`.
 */
export function fromJsonPath(path: string): string {
  return path.slice(1).replace(/\["([A-Za-z_$][\w$]*)"\]/g, '.$1')
}

/** A value for a message. Unlike `quote` it never throws: malformed input may be circular or a bigint. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return typeof value === 'string' || typeof value === 'boolean' || value === null
    ? quote(value)
    : typeof value
}
