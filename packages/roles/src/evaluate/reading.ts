import { type Json, type JsonObject, LIMITS, utf8Length } from '@treeos/core'
import type { Root } from '../shape/when.ts'

/** Stands in a slice for a value that is present but equals nothing. */
export const OPAQUE: JsonObject = Object.freeze({})

/** Called directly: Object.hasOwn costs one more call. */
export const hasOwn = Object.prototype.hasOwnProperty

/**
 * Reads a value of a context for a test: own properties of plain objects only; it never throws. Scalars are unchanged,
 * `undefined` is missing, and {@link OPAQUE} stands for an object, an array or a string over
 * `comparableBytesMax`. A slice holds exactly this, so slice and context agree.
 */
export function lookUp(context: Json | undefined, keys: readonly string[]): Json | undefined {
  let value = context
  for (let i = 0; i < keys.length; i++) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    if (!hasOwn.call(value, keys[i]!)) return undefined
    value = (value as JsonObject)[keys[i]!]
  }
  return comparable(value)
}

/** A value as tests compare it. */
function comparable(value: Json | undefined): Json | undefined {
  if (typeof value === 'string') return isLong(value) ? OPAQUE : value
  return typeof value === 'object' && value !== null ? OPAQUE : value
}

export function isLong(text: string): boolean {
  if (text.length > LIMITS.comparableBytesMax) return true
  return text.length * 3 > LIMITS.comparableBytesMax && utf8Length(text) > LIMITS.comparableBytesMax
}

/** The fields that open contexts have, in the order in which {@link fieldsOf} reads them. */
const FIELDS: readonly string[] = [
  'verb',
  'caller',
  'caller.role',
  'caller.cognition',
  'space',
  'space.name',
  'space.quality',
  'inHomeSpace',
  'time',
  'time.hour',
  'time.dayOfWeek',
  'time.sinceLastMoment',
  'me',
  'me.previousRole',
  'me.quality',
  'world',
] satisfies readonly (Root | `${Root}.${string}`)[]
const FIELD_COUNT = FIELDS.length

type Fields = readonly (Json | undefined)[]
const NO_FIELDS: Fields = FIELDS.map(() => undefined)

/**
 * Reads all fields of a context by name. V8 finds a name that stands in the code at once; a name that is a value it searches for
 * twice, to see whether it is the object's own and to read it. One pass over all fields also checks each of the five objects once.
 */
function fieldsOf(value: Json): Fields {
  const pure = !isPolluted()
  const context = owned(value, pure)
  if (context === null) return NO_FIELDS
  const caller = owned(context.caller, pure)
  const space = owned(context.space, pure)
  const time = owned(context.time, pure)
  const me = owned(context.me, pure)
  return [
    context.verb,
    context.caller,
    caller?.role,
    caller?.cognition,
    context.space,
    space?.name,
    space?.quality,
    context.inHomeSpace,
    context.time,
    time?.hour,
    time?.dayOfWeek,
    time?.sinceLastMoment,
    context.me,
    me?.previousRole,
    me?.quality,
    context.world,
  ]
}

/**
 * An object of which a field may be read by name: it has what the value owns, and inherits none of the fields; null: the value
 * has no fields.
 * @param pure nobody has put one of these fields on the prototype of every object
 */
function owned(value: Json | undefined, pure: boolean): JsonObject | null {
  if (typeof value !== 'object' || value === null) return null
  if (pure && Object.getPrototypeOf(value) === Object.prototype) return value as JsonObject
  return Array.isArray(value) ? null : Object.assign(Object.create(null), value)
}

/** Written out for V8, which assumes the answer until a prototype is changed. */
function isPolluted(): boolean {
  const all = Object.prototype
  return (
    'verb' in all ||
    'caller' in all ||
    'role' in all ||
    'cognition' in all ||
    'space' in all ||
    'name' in all ||
    'quality' in all ||
    'inHomeSpace' in all ||
    'time' in all ||
    'hour' in all ||
    'dayOfWeek' in all ||
    'sinceLastMoment' in all ||
    'me' in all ||
    'previousRole' in all ||
    'world' in all
  )
}

const UNREAD = Symbol('unread')
type Slot = Json | undefined | typeof UNREAD

/** Paths that will be read of many contexts; all of them begin with a root. */
export interface PathTable {
  /** the place of each path in a reading: fields first, then the paths that lead below a field */
  readonly places: ReadonlyMap<string, number>
  /** the paths below a field: the field's index, and the keys from there */
  readonly below: readonly { readonly field: number; readonly keys: readonly string[] }[]
  /** initial values of the paths below fields: a copy costs less than filling a new array */
  readonly unread: readonly Slot[]
}

export function tableOf(paths: readonly string[]): PathTable {
  const places = new Map<string, number>()
  const below: { field: number; keys: string[] }[] = []
  for (const path of paths) {
    const field = FIELDS.indexOf(path)
    places.set(path, field === -1 ? FIELD_COUNT + below.length : field)
    if (field !== -1) continue
    const keys = path.split('.')
    const named = FIELDS.includes(keys.slice(0, 2).join('.')) ? 2 : 1
    below.push({ field: FIELDS.indexOf(keys.slice(0, named).join('.')), keys: keys.slice(named) })
  }
  return { places, below, unread: below.map(() => UNREAD) }
}

/** Values of one context at the paths of a table. Below the fields each is looked up once, for the first test that needs it. */
export class Reading {
  readonly #fields: Fields
  readonly #below: PathTable['below']
  readonly #values: Slot[]

  constructor(context: Json, table: PathTable) {
    this.#fields = fieldsOf(context)
    this.#below = table.below
    this.#values = table.unread.slice()
  }

  /** @param place of the path in its table */
  at(place: number): Json | undefined {
    if (place < FIELD_COUNT) return comparable(this.#fields[place])
    const index = place - FIELD_COUNT
    const known = this.#values[index]
    if (known !== UNREAD) return known
    const { field, keys } = this.#below[index]!
    const value = lookUp(this.#fields[field], keys)
    this.#values[index] = value
    return value
  }
}
