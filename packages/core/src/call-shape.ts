import { TreeosError } from './error.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { LIMITS } from './limits.ts'
import { isRoleName, quote } from './names.ts'
import { isOverlayHandle } from './overlay.ts'
import type { Verb } from './stack.ts'
import { ORIENTATIONS, PRIORITIES, type VerbCall } from './wake.ts'

/** JSON Schema of one property; mutable, as the SDKs that take it ask for. */
type PropertySchema = { [word: string]: Part }
type Part = string | number | boolean | null | Part[] | { [word: string]: Part }

/** How a field is read, and its JSON Schema. */
interface FieldKind {
  /** the end of the error "NAME is VALUE; it takes …" */
  readonly takes: string
  readonly holds: (value: Json) => boolean
  readonly schema: PropertySchema & { readonly type: string }
  /** an error must not quote the value */
  readonly isSecret?: true
}

const TEXT: FieldKind = {
  takes: 'a text',
  holds: (value) => typeof value === 'string' && value !== '',
  schema: { type: 'string' },
}
const TEXTS: FieldKind = {
  takes: 'a list of texts',
  holds: (value) => Array.isArray(value) && value.every((one) => TEXT.holds(one)),
  schema: { type: 'array', items: { type: 'string' } },
}
const OBJECT: FieldKind = {
  takes: 'an object',
  holds: isJsonObject,
  schema: { type: 'object', additionalProperties: true },
}
/** A program may say any JSON; a model and MCP are told to speak in text. */
const CONTENT: FieldKind = {
  takes: 'what to say',
  holds: (value) => value !== '',
  schema: { type: 'string' },
}
const YES_OR_NO: FieldKind = {
  takes: 'true or false',
  holds: (value) => typeof value === 'boolean',
  schema: { type: 'boolean' },
}
/** Somebody may write the text of an overlay where its handle belongs, so no error quotes it. */
const HANDLE: FieldKind = {
  takes: 'a handle of text in a vault',
  holds: isOverlayHandle,
  schema: { type: 'string' },
  isSecret: true,
}
const ROLE: FieldKind = { takes: 'the name of a role', holds: isRoleName, schema: { type: 'string' } }
const oneOf = (choices: readonly string[]): FieldKind => ({
  takes: `one of ${choices.join(', ')}`,
  holds: (value) => typeof value === 'string' && choices.includes(value),
  schema: { type: 'string', enum: [...choices] },
})

/** A field of a call. */
interface Field extends FieldKind {
  readonly description: string
  /**
   * How an absent field is read: it is an error, it is null, it is `{}`, or the call has no such field. A
   * null counts as absent, except for a field that is `never-null`: there the call has no such field only
   * when it is left out.
   */
  readonly absent: 'error' | 'null' | 'empty' | 'omitted' | 'never-null'
}

const field = (kind: FieldKind, absent: Field['absent'], description: string): Field => ({
  ...kind,
  description,
  absent,
})

type KeysOfEach<Call> = Call extends unknown ? keyof Call : never
type FieldsOf<V extends Verb> = Exclude<KeysOfEach<Extract<VerbCall, { verb: V }>>, 'verb'> & string

/**
 * The one shape of each call: people's acts, scripts, models' tools and MCP's tools are read and described by
 * it. Fields are read in this order, and the first fault is the error of the call.
 */
const SHAPES: { readonly [V in Verb]: Readonly<Record<FieldsOf<V>, Field>> } = {
  see: {
    address: field(TEXT, 'omitted', '@name or /path/of/space'),
    addresses: field(TEXTS, 'omitted', `others to look at too, ${LIMITS.addressesMax} in all`),
  },
  do: {
    operation: field(TEXT, 'error', 'the operation'),
    target: field(TEXT, 'null', '@name or /path; where I am when left out'),
    args: field(OBJECT, 'empty', 'its arguments'),
    overlay: field(HANDLE, 'omitted', 'handle of an overlay for the model calls of its skill or task'),
  },
  summon: {
    content: field(CONTENT, 'error', 'what to say'),
    priority: field(oneOf(Object.keys(PRIORITIES)), 'never-null', 'how soon it is answered'),
    role: field(ROLE, 'never-null', 'a role that the summoned being is asked to wear'),
    orientation: field(oneOf(ORIENTATIONS), 'never-null', 'how much of its own past a being shows itself'),
    target: field(TEXT, 'null', '@name'),
    inReplyTo: field(TEXT, 'null', 'correlation of an inbox entry to answer, instead of a target'),
    thread: field(TEXT, 'omitted', 'the thread it belongs to'),
    channel: field(TEXT, 'omitted', 'the name of the conversation it belongs to'),
    overlay: field(HANDLE, 'omitted', 'handle of an overlay for the call of the model'),
    expectReply: field(YES_OR_NO, 'omitted', 'false: it is an announcement, and no answer comes back'),
  },
  be: {
    operation: field(TEXT, 'error', 'the operation'),
    args: field(OBJECT, 'empty', 'its arguments'),
  },
}

/**
 * Names that callers may also give to the fields of `do` and `be`. A call as it was read has the names on the
 * right.
 */
const OTHER_NAMES: Readonly<Record<string, 'operation' | 'args'>> = { action: 'operation', payload: 'args' }

/** The name that a field of a verb has in a call as it was read. */
export function ownName(verb: Verb, name: string): string {
  const isRenamed = (verb === 'do' || verb === 'be') && Object.hasOwn(OTHER_NAMES, name)
  return (isRenamed ? OTHER_NAMES[name] : undefined) ?? name
}

/**
 * A written call with its fields under their own names.
 * @throws {TreeosError} INVALID_INPUT when a field is given under both of its names
 */
export function withOwnNames(verb: Verb, written: JsonObject): JsonObject {
  const given = Object.entries(written).map(([name, value]): [string, Json] => {
    const own = ownName(verb, name)
    if (own !== name && Object.hasOwn(written, own))
      throw new TreeosError('INVALID_INPUT', `${own} and ${name} are the same; give ${own}`)
    return [own, value]
  })
  return Object.fromEntries(given)
}

/**
 * Fields that a call of a model may have, in the order of its tools. A tool offers those that can be used.
 */
export const MODEL_FIELDS: { readonly [V in Verb]: readonly FieldsOf<V>[] } = {
  see: ['address', 'addresses'],
  do: ['target', 'operation', 'args'],
  summon: ['target', 'content', 'inReplyTo', 'orientation', 'expectReply'],
  be: ['operation', 'args'],
}

/** The JSON Schema of a call's arguments, as tools of models and of MCP show it. */
export type CallParameters = {
  readonly type: 'object'
  readonly properties: Record<string, PropertySchema>
  readonly required: string[]
  readonly additionalProperties: false
}

/** What is said of a field to one caller, instead of what is said to all. */
export interface FieldNotes {
  readonly description?: string
  readonly required?: boolean
  /** the only values that it can have now */
  readonly choices?: readonly string[]
  /** what a field that takes any object takes now, as JSON Schema */
  readonly schema?: JsonObject
}

/**
 * Describes what a verb takes.
 * @param shown fields that the caller is offered, in order
 */
export function callParameters<V extends Verb>(
  verb: V,
  shown: readonly FieldsOf<V>[],
  told: { readonly [F in FieldsOf<V>]?: FieldNotes } = {},
): CallParameters {
  const shape: Readonly<Record<FieldsOf<V>, Field>> = SHAPES[verb]
  const fields = shown.map((name) => {
    const { schema, absent, description: known } = shape[name]
    const { description = known, required = absent === 'error', choices, schema: own } = told[name] ?? {}
    const { type, ...more } = own === undefined ? schema : (own as PropertySchema)
    const property: PropertySchema = { ...(type === undefined ? {} : { type }), description, ...more }
    if (choices !== undefined) property.enum = [...choices]
    return { name, required, property }
  })
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, property }) => [name, property])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}

/** @throws {TreeosError} INVALID_INPUT naming the field and the value */
export function readCall<V extends Verb>(verb: V, from: JsonObject): Extract<VerbCall, { verb: V }> {
  const shape: Readonly<Record<string, Field>> = SHAPES[verb]
  const given = withOwnNames(verb, from)
  const read = Object.entries(shape).flatMap(([name, known]): [string, Json][] => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    const isAbsent = value === undefined || (value === null && known.absent !== 'never-null')
    if (!isAbsent) {
      if (known.holds(value)) return [[name, value]]
      throw fieldFault(name, known.isSecret ? '(not shown)' : value, known.takes)
    }
    if (known.absent === 'error') throw fieldFault(name, value, known.takes)
    if (known.absent === 'omitted' || known.absent === 'never-null') return []
    return [[name, known.absent === 'null' ? null : {}]]
  })
  const call = Object.fromEntries(read)
  return { verb, ...(verb === 'see' ? seenIn(call, given.address) : call) } as Extract<VerbCall, { verb: V }>
}

/** One address, or several, each once. */
function seenIn({ address, addresses = [] }: JsonObject, written: Json | undefined): JsonObject {
  const all = [...new Set([...(address === undefined ? [] : [address]), ...(addresses as string[])])]
  const [only = null] = all
  if (only === null) throw fieldFault('address', written, TEXT.takes)
  if (all.length > LIMITS.addressesMax)
    throw new TreeosError(
      'INVALID_INPUT',
      `a look takes at most ${LIMITS.addressesMax} addresses, not ${all.length}`,
    )
  return all.length === 1 ? { address: only } : { addresses: all }
}

/** A text field, or null where it is absent or null. @throws {TreeosError} INVALID_INPUT */
export function readText(from: JsonObject, name: string): string | null {
  const value = Object.hasOwn(from, name) ? from[name] : undefined
  if (value === undefined || value === null) return null
  if (TEXT.holds(value)) return value as string
  throw fieldFault(name, value, TEXT.takes)
}

export function fieldFault(name: string, value: Json | undefined, takes: string): TreeosError {
  const came = value === undefined ? 'is missing' : `is ${quote(value)}`
  return new TreeosError('INVALID_INPUT', `${name} ${came}; it takes ${takes}`)
}
