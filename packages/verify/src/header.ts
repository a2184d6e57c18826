import { isArray, isObject, type Json } from './canonical.ts'
import { isHash } from './hash.ts'

const isText = (value: unknown): boolean => typeof value === 'string'
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)
const isNumber = (value: unknown): boolean => Number.isSafeInteger(value)

/** The fields of the header of a fact, each with its form. */
const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  v: (value) => value === 1,
  reel: isText,
  seq: isNumber,
  kind: isText,
  actor: isText,
  driver: isTextOrNull,
  moment: isTextOrNull,
  cause: isTextOrNull,
  at: isNumber,
  payloadHash: isHash,
  stack: isTextOrNull,
  code: isText,
}
const COUNT = Object.keys(FIELDS).length

/**
 * Whether a value is the header of the fact at this place. Another field would be something that nobody
 * checks.
 */
export const isHeaderOf = (header: Json, reel: unknown, seq: unknown): boolean =>
  isObject(header) &&
  Object.keys(header).length === COUNT &&
  Object.entries(FIELDS).every(([field, isForm]) => isForm(header[field])) &&
  header.reel === reel &&
  header.seq === seq

/** Whether a value is a list of heads, each [reel, number, hash]. */
export const isHeads = (refs: Json): boolean =>
  isArray(refs) &&
  refs.every((ref) => {
    if (!isArray(ref) || ref.length !== 3) return false
    const [reel, seq, hash] = ref
    return isText(reel) && isNumber(seq) && isHash(hash)
  })
