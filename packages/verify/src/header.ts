import { isArray, isObject, type Json } from './canonical.ts'
import { hasForm } from './forms/forms.ts'

/** Whether a value is the header of the fact at this place. */
export const isHeaderOf = (header: Json, reel: unknown, seq: unknown): boolean =>
  hasForm('header', header) && isObject(header) && header.reel === reel && header.seq === seq

/** Whether a value is a list of heads, each [reel, number, hash]. */
export const isHeads = (refs: Json): boolean => isArray(refs) && refs.every((ref) => hasForm('head', ref))
