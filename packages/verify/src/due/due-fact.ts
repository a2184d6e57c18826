/** Facts as a decision yields them, compared with the facts that a moment wrote. */
import { at, isObject, type Json, type JsonObject, same } from '../canonical.ts'

/** A fact that a moment wrote. An erased payload is null, and may have been any. */
export interface WrittenFact {
  readonly reel: string
  readonly kind: string
  readonly payload: Json
}

/** What a field of a payload has to be: this value, left out (undefined), or anything that passes a test. */
export type DueField = Json | undefined | ((value: Json | undefined) => boolean)

/** A fact as a decision yields it, as far as that follows from what is known. */
export interface DueFact {
  /** null: any will do */
  readonly reel: string | null
  readonly kind: string
  readonly fields: Readonly<Record<string, DueField>>
  /** it may have more fields */
  readonly isOpen?: true
  /** it may be missing, where it is the last one */
  readonly isOptional?: true
}

const anything = (): boolean => true
export const isText = (value: Json | undefined): value is string => typeof value === 'string'
export const isCount = (value: Json | undefined): boolean => Number.isSafeInteger(value)
export const oneOf =
  (...values: readonly (Json | undefined)[]) =>
  (value: Json | undefined): boolean =>
    values.some((one) => same(one, value))
/** A value that may not be known. */
export const orAny = (value: Json): DueField => value ?? anything

/** Whether a payload has these fields, and no other. */
export function fitsFields(payload: Json | undefined, fields: DueFact['fields'], isOpen = false): boolean {
  if (!isObject(payload)) return false
  if (!isOpen && Object.keys(payload).some((name) => !Object.hasOwn(fields, name))) return false
  return Object.entries(fields).every(([name, due]) => {
    const value = at(payload, name)
    return typeof due === 'function' ? due(value) : same(value, due)
  })
}

/** In words, where facts are not those that are due, in their order; null where they are. */
export function otherThanDue(written: readonly WrittenFact[], due: readonly DueFact[]): string | null {
  const wanted = due.filter(({ isOptional }, i) => isOptional !== true || i < written.length)
  if (written.length !== wanted.length) return 'it wrote more or fewer facts than its decision yields'
  const other = wanted.findIndex(({ reel, kind, fields, isOpen }, i) => {
    const fact = written[i] as WrittenFact
    const isIt = fact.kind === kind && (reel === null || fact.reel === reel)
    return !isIt || (fact.payload !== null && !fitsFields(fact.payload, fields, isOpen))
  })
  if (other < 0) return null
  const { reel, kind } = written[other] as WrittenFact
  return `its decision does not yield what it wrote: ${kind} on ${reel}`
}

/** The named ones that are there and not null. */
export const thereOf = (args: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => ((at(args, name) ?? null) === null ? [] : [[name, args[name] as Json]])),
  )
