import { type Json, type JsonObject, LIMITS, utf8Length } from '@treeos/core'
import type { Root, Scalar } from '../shape/when.ts'

/** Stands in a slice for a value that is present but equals nothing. */
export const OPAQUE: JsonObject = Object.freeze({})

/** Called directly: Object.hasOwn costs one more call. */
const hasOwn = Object.prototype.hasOwnProperty

/**
 * Reads a value of a context for a test: own properties of plain objects only; it never throws. Scalars are
 * unchanged, `undefined` is missing, and {@link OPAQUE} stands for an object, an array or a string over
 * `comparableBytesMax`. A slice holds exactly this, so slice and context agree.
 */
export function lookUp(context: Json | undefined, keys: readonly string[]): Json | undefined {
  const value = descend(context, keys)
  if (typeof value === 'string') return isLong(value) ? OPAQUE : value
  return typeof value === 'object' && value !== null ? OPAQUE : value
}

function descend(from: Json | undefined, keys: readonly string[]): Json | undefined {
  let value = from
  for (let i = 0; i < keys.length; i++) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    if (!hasOwn.call(value, keys[i]!)) return undefined
    value = (value as JsonObject)[keys[i]!]
  }
  return value
}

export function isLong(text: string): boolean {
  if (text.length > LIMITS.comparableBytesMax) return true
  return text.length * 3 > LIMITS.comparableBytesMax && utf8Length(text) > LIMITS.comparableBytesMax
}

/** Equal to no value of any context. */
const NEVER = Symbol('never')
export type Operand = Scalar | typeof NEVER | readonly Scalar[]

/**
 * The operand that values of a {@link ContextReader} are compared with. A string over `comparableBytesMax`
 * becomes one that equals nothing.
 */
export function operandOf(expected: Scalar | readonly Scalar[]): Operand {
  if (Array.isArray(expected)) return expected.filter((one) => typeof one !== 'string' || !isLong(one))
  return typeof expected === 'string' && isLong(expected) ? NEVER : expected
}

/** @param pure nobody has put one of these fields on the prototype of every object */
type Field = (context: JsonObject, pure: boolean) => Json | undefined

/**
 * The fields that open contexts have, read by name: what V8 finds at once when the name stands in the code,
 * it searches for twice when the name is a value, to see whether it is the object's own and to read it.
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

/**
 * An object of which a field may be read by name: it has what the value owns, and inherits none of the
 * fields.
 */
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

/** A path that will be read of many contexts; it begins with a root. */
export interface ReadyPath {
  /** the field that contexts have, and the keys below it; null when there are none */
  readonly field: Field
  readonly below: readonly string[] | null
  /** where a reading keeps the value for a second test; -1 when only one test reads the path */
  readonly slot: number
}

/** The paths of one flow, each with the number of tests that read it taken into account. */
export class Paths {
  readonly #ready = new Map<string, { field: Field; below: readonly string[] | null; slot: number }>()
  #slots = 0

  /** Called once for each test that reads the path. */
  of(path: string): ReadyPath {
    const known = this.#ready.get(path)
    if (known === undefined) {
      const ready = { ...splitPath(path), slot: -1 }
      this.#ready.set(path, ready)
      return ready
    }
    if (known.slot < 0) known.slot = this.#slots++
    return known
  }

  /** Initial values of a reading: a copy costs less than filling a new array. */
  get unread(): readonly Slot[] {
    return Array.from({ length: this.#slots }, () => UNREAD)
  }
}

function splitPath(path: string): Pick<ReadyPath, 'field' | 'below'> {
  const keys = path.split('.')
  const named = Object.hasOwn(FIELDS, keys.slice(0, 2).join('.')) ? 2 : 1
  const below = keys.slice(named)
  return { field: FIELDS[keys.slice(0, named).join('.')]!, below: below.length === 0 ? null : below }
}

const NO_SLOTS: Slot[] = []

/**
 * Values of one context. Each path is looked up once. Unlike {@link lookUp} it hands out objects and long
 * strings as they are, which is the same to every test: none compares with an object, and {@link operandOf}
 * takes long strings out of the operands.
 */
export class ContextReader {
  readonly #context: JsonObject
  readonly #pure = !isPolluted()
  readonly #values: Slot[]

  /** @param unread of the flow's {@link Paths} */
  constructor(context: Json, unread: readonly Slot[]) {
    this.#context = owned(context, this.#pure)
    this.#values = unread.length === 0 ? NO_SLOTS : unread.slice()
  }

  at(path: ReadyPath): Json | undefined {
    const { slot } = path
    if (slot < 0) return this.#read(path)
    const known = this.#values[slot]
    if (known !== UNREAD) return known
    const value = this.#read(path)
    this.#values[slot] = value
    return value
  }

  #read({ field, below }: ReadyPath): Json | undefined {
    const value = field(this.#context, this.#pure)
    return below === null ? value : descend(value, below)
  }
}
