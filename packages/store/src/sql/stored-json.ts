import { canonicalJson } from '@treeos/core'

/** A value as a column of bytes stores it: canonical JSON in UTF-8. */
export const encodeJson = (value: unknown): Buffer => Buffer.from(canonicalJson(value), 'utf8')

/**
 * A value as it was stored. The one cast from stored bytes to a type: only this package writes these columns,
 * with values of that type.
 */
export const decodeJson = <T>(stored: Buffer | string): T => JSON.parse(stored.toString()) as T
