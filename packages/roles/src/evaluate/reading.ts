import { type Json, type JsonObject, LIMITS, utf8Length } from '@treeos/core'
import type { Root } from '../shape/when.ts'

/** Stands in a slice for a value that is present but equals nothing. */
export const OPAQUE: JsonObject = Object.freeze({})

/** Called directly: Object.hasOwn costs one more call. */
const hasOwn = Object.prototype.hasOwnProperty

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
  if (typeof value === 'string') return isLong(value) ? OPAQUE : value
  return typeof value === 'object' && value !== null ? OPAQUE : value
}

export function isLong(text: string): boolean {
  if (text.length > LIMITS.comparableBytesMax) return true
  return text.length * 3 > LIMITS.comparableBytesMax && utf8Length(text) > LIMITS.comparableBytesMax
}

/** @param pure nobody has put one of these fields on the prototype of every object */
type Field = (context: JsonObject, pure: boolean) => Json | undefined

/**
 * The fields that open contexts have, read by name: what V8 finds at once when the name stands in the code, it searches
 * for twice when the name is a value, to see whether it is the object's own and to read it.
 */
const FIELDS: Readonly<Record<Root, Field> & Record<string, Field>> = {
  verb: (context) => context.verb,
  wake: (context) => context.wake,
  'wake.kind': (context, pure) => owned(context.wake, pure).kind,
  caller: (context) => context.caller,
  'caller.role': (context, pure) => owned(context.caller, pure).role,
  'caller.cognition': (context, pure) => owned(context.caller, pure).cognition,
  space: (context) => context.space,
  'space.name': (context, pure) => owned(context.space, pure).name,
  'space.quality': (context, pure) => owned(context.space, pure).quality,
  inHomeSpace: (context) => context.inHomeSpace,
  time: (context) => context.time,
  'time.hour': (context, pure) => owned(context.time, pure).hour,
  'time.dayOfWeek': (context, pure) => owned(context.time, pure).dayOfWeek,
  'time.sinceLastMoment': (context, pure) => owned(context.time, pure).sinceLastMoment,
  me: (context) => context.me,
  'me.previousRole': (context, pure) => owned(context.me, pure).previousRole,
  'me.quality': (context, pure) => owned(context.me, pure).quality,
  moment: (context) => context.moment,
  'moment.outside': (context, pure) => owned(context.moment, pure).outside,
  'moment.origins': (context, pure) => owned(context.moment, pure).origins,
  world: (context) => context.world,
}

const NOTHING: JsonObject = Object.freeze(Object.create(null))

/** An object of which a field may be read by name: it has what the value owns, and inherits none of the fields. */
function owned(value: Json | undefined, pure: boolean): JsonObject {
  if (typeof value !== 'object' || value === null) return NOTHING
  if (pure && Object.getPrototypeOf(value) === Object.prototype) return value as JsonObject
  return Array.isArray(value) ? NOTHING : Object.assign(Object.create(null), value)
}

/** Written out for V8, which assumes the answer until a prototype is changed. */
function isPolluted(): boolean {
  const all = Object.prototype
  return (
    'verb' in all ||
    'wake' in all ||
    'kind' in all ||
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
    'moment' in all ||
    'outside' in all ||
    'origins' in all ||
    'world' in all
  )
}

const UNREAD = Symbol('unread')
type Slot = Json | undefined | typeof UNREAD

/** Paths that will be read of many contexts; all of them begin with a root. */
export interface PathTable {
  /** each as a field that contexts have, and the keys below it */
  readonly paths: readonly { readonly field: Field; readonly below: readonly string[] }[]
  /** initial values of a reading: a copy costs less than filling a new array */
  readonly unread: readonly Slot[]
}

export function tableOf(paths: readonly string[]): PathTable {
  return {
    paths: paths.map((path) => {
      const keys = path.split('.')
      const named = Object.hasOwn(FIELDS, keys.slice(0, 2).join('.')) ? 2 : 1
      return { field: FIELDS[keys.slice(0, named).join('.')]!, below: keys.slice(named) }
    }),
    unread: paths.map(() => UNREAD),
  }
}

/** Values of one context at the paths of a table. Each is looked up once, for the first test that needs it. */
export class Reading {
  readonly #context: JsonObject
  readonly #pure = !isPolluted()
  readonly #paths: PathTable['paths']
  readonly #values: Slot[]

  constructor(context: Json, table: PathTable) {
    this.#context = owned(context, this.#pure)
    this.#paths = table.paths
    this.#values = table.unread.slice()
  }

  /** @param index of the path in its table */
  at(index: number): Json | undefined {
    const known = this.#values[index]
    if (known !== UNREAD) return known
    const { field, below } = this.#paths[index]!
    const value = lookUp(field(this.#context, this.#pure), below)
    this.#values[index] = value
    return value
  }
}
