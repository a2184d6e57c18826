import { parseCall } from './call.ts'
import { fieldFault, MODEL_FIELDS, ownName, withOwnNames } from './call-shape.ts'
import { TreeosError } from './error.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { quote } from './names.ts'
import type { Verb } from './stack.ts'
import type { VerbCall } from './wake.ts'

/** What a mind was shown before it wrote a call: the names that it may write short. */
export interface ShownNames {
  /** addresses that it was told of, as `@name`, `/path` or `matter:<id>` */
  readonly addresses: readonly string[]
  /** the names that `do` can have in its reach, each with the names of its arguments */
  readonly doOperations: ReadonlyMap<string, readonly string[]>
  /** the same for `be` */
  readonly beOperations: ReadonlyMap<string, readonly string[]>
  /** of a verb that can reach one thing alone: that, which its tool does not ask for */
  readonly only?: Partial<Record<'see' | 'do', string>>
  /** true: it may summon somebody. A summon that it writes as text is read as one, also where it has no tool for it */
  readonly speaks?: true
  /** the words of whoever asks; left out where nobody does */
  readonly asked?: string
}

const NONE: ReadonlyMap<string, readonly string[]> = new Map()
export const NOTHING_SHOWN: ShownNames = { addresses: [], doOperations: NONE, beOperations: NONE }

/**
 * Reads a call as a model or an MCP client writes it. It is generous where only one reading is possible, and
 * refuses where two are:
 *
 * - an optional field that is null or `""` is left out;
 * - arguments may be JSON text, and may stand beside the operation where it takes arguments of these names;
 * - `operation` may be called `action`, and `args` `payload`;
 * - an operation that was shown may be written without its prefix, and with `_` for `-`;
 * - a bare name of an address that was shown is that address.
 *
 * The result is a strict call, which is what is recorded and what both gates judge. It holds nothing that was
 * neither written nor shown.
 * @throws {TreeosError} INVALID_INPUT naming the field, or PAYLOAD_TOO_LARGE
 */
export function readWrittenCall(verb: Verb, written: JsonObject, shown: ShownNames): VerbCall {
  const given = withOwnNames(verb, withoutAbsent(verb, written))
  switch (verb) {
    case 'see':
      return strict(verb, withAddresses(given, shown))
    case 'summon':
      return strict(verb, withAddress(given, 'target', verb, shown))
    case 'do':
      return strict(verb, withAddress(withArguments(given, shown.doOperations, verb), 'target', verb, shown))
    case 'be':
      return strict(verb, withArguments(given, shown.beOperations, verb))
  }
}

/**
 * The verb of a tool that has the name of an operation instead of a verb; undefined where none, or more than
 * one, was shown under it.
 */
export function namedVerb(name: string, { doOperations, beOperations }: ShownNames): 'do' | 'be' | undefined {
  const [found, others] = [namesLike(name, doOperations).length, namesLike(name, beOperations).length]
  if (found + others !== 1) return undefined
  return found === 1 ? 'do' : 'be'
}

/**
 * Reads a call of a tool that has the name of an operation.
 * @throws {TreeosError} as `readWrittenCall`, and where no such operation, or more than one, was shown
 */
export function readNamedCall(name: string, written: JsonObject, shown: ShownNames): VerbCall {
  const verb = namedVerb(name, shown)
  if (verb === undefined) throw fieldFault('the tool', name, 'see, do, summon or be')
  const known = verb === 'do' ? shown.doOperations : shown.beOperations
  const [only = name] = namesLike(name, known)
  const own = known.get(only) ?? []
  const isOwn = own.some((taken) => isFieldOf(verb, taken)) // then every name is one of the operation's
  const given = isOwn ? { args: written } : withOwnNames(verb, written)
  if (Object.hasOwn(given, 'operation'))
    throw fieldFault('operation', given.operation, `nothing beside the tool ${name}`)
  return readWrittenCall(verb, { ...given, operation: only }, shown)
}

/** Whether a verb takes a field of this name, under either of the names that it may have. */
const isFieldOf = (verb: Verb, name: string): boolean =>
  (MODEL_FIELDS[verb] as readonly string[]).includes(ownName(verb, name))

const isAbsent = (value: Json | undefined): boolean => value === undefined || value === null || value === ''

/** Only fields of the call: a null among arguments that stand beside them means something. */
function withoutAbsent(verb: Verb, written: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(written).filter(([name, value]) => !(isFieldOf(verb, name) && isAbsent(value))),
  )
}

function strict(verb: Verb, given: JsonObject): VerbCall {
  const taken: readonly string[] = MODEL_FIELDS[verb]
  const unknown = Object.keys(given).find((name) => !taken.includes(name))
  if (unknown === undefined) return parseCall({ ...given, verb })
  throw new TreeosError(
    'INVALID_INPUT',
    `${quote(unknown)} is not an argument of ${verb}; it takes ${taken.join(', ')}`,
  )
}

/** Brings the name of an operation into its full form, and its arguments into one object. */
function withArguments(given: JsonObject, known: ShownNames['doOperations'], verb: 'do' | 'be'): JsonObject {
  const name = fullName(given.operation, known)
  const { args, rest } = argumentsIn(given)
  const extra = Object.keys(rest).filter((key) => !isFieldOf(verb, key))
  const taken = typeof name === 'string' ? known.get(name) : undefined
  const call = name === undefined ? rest : { ...rest, operation: name }
  if (taken?.length === 0 && extra.length === 0) return call // it takes none, so what was given means nothing
  if (extra.length === 0 || taken === undefined || extra.some((key) => !taken.includes(key)))
    return args === undefined ? call : { ...call, args }
  const both = Object.keys(rest).find(
    (key) => key !== 'operation' && !extra.includes(key) && taken.includes(key),
  )
  if (both !== undefined || (args !== undefined && Object.keys(args).length > 0))
    throw new TreeosError(
      'INVALID_INPUT',
      `${extra.join(', ')} may be an argument of ${name}, and so may ${both ?? 'args'}; give all arguments in args`,
    )
  const kept = Object.entries(call).filter(([key]) => !extra.includes(key))
  const flat = extra.map((key): [string, Json] => [key, rest[key] ?? null])
  return { ...Object.fromEntries(kept), args: Object.fromEntries(flat) }
}

/** The arguments, as an object or as JSON text of one. */
function argumentsIn({ args: value, ...rest }: JsonObject): {
  args: JsonObject | undefined
  rest: JsonObject
} {
  if (value === undefined) return { args: undefined, rest }
  const object = typeof value === 'string' ? objectIn(value) : value
  if (isJsonObject(object)) return { args: object, rest }
  throw fieldFault('args', value, 'an object')
}

function objectIn(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json
    return typeof value === 'string' ? (JSON.parse(value) as Json) : value
  } catch {
    return undefined
  }
}

const plainArgumentName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s_.:-]+/g, '-')

/** The shown names that a text can mean: itself, else those like it, with or without their prefix. */
function namesLike(text: string, known: ShownNames['doOperations']): string[] {
  if (known.has(text)) return [text]
  const wanted = plainArgumentName(text)
  return [...known.keys()].filter(
    (name) =>
      plainArgumentName(name) === wanted || plainArgumentName(name.slice(name.indexOf(':') + 1)) === wanted,
  )
}

/** @throws {TreeosError} INVALID_INPUT for a short name that fits several names */
function fullName(written: Json | undefined, known: ShownNames['doOperations']): Json | undefined {
  if (typeof written !== 'string') return written
  const found = namesLike(written, known)
  if (found.length > 1) throw fieldFault('operation', written, `one of ${found.join(', ')}`)
  return found[0] ?? written
}

/** The same for a look, which may have several addresses; a text among them is one. */
function withAddresses({ addresses, ...given }: JsonObject, shown: ShownNames): JsonObject {
  const listed = typeof addresses === 'string' ? (listIn(addresses) ?? [addresses]) : addresses
  const list = Array.isArray(listed) ? listed.filter((one) => !isAbsent(one)) : listed
  if (!Array.isArray(list) || list.length === 0)
    return withAddress(
      list === undefined || Array.isArray(list) ? given : { ...given, addresses: list },
      'address',
      'see',
      shown,
    )
  const each = list.map((address) => withAddress({ address }, 'address', 'see', shown).address ?? null)
  return {
    ...(given.address === undefined ? given : withAddress(given, 'address', 'see', shown)),
    addresses: each,
  }
}

function listIn(text: string): Json[] | undefined {
  const value = objectIn(text)
  return Array.isArray(value) ? value : undefined
}

/** A thing or a being written below its place: `/library/matter:tides`, `/library/tides`. */
function withinPlace(path: string): string[] {
  const last = path.slice(path.lastIndexOf('/') + 1)
  return last === path ? [] : [last, `matter:${last}`]
}

/** A bare name, an id as facts write it, or one below its place, as the one shown address that it names. */
function withAddress(
  given: JsonObject,
  field: 'address' | 'target',
  verb: Verb,
  { addresses, only = {} }: ShownNames,
): JsonObject {
  const written = given[field] ?? (verb === 'see' || verb === 'do' ? only[verb] : undefined)
  if (given[field] === undefined && written !== undefined) return { ...given, [field]: written }
  if (typeof written !== 'string' || addresses.includes(written)) return given
  const text = written.trim()
  const [, kind, name = text] = /^(?:(being|space):)?(.*)$/s.exec(text) ?? []
  const forms = [
    ...(kind === 'space' ? [] : [name.startsWith('@') ? name : `@${name}`]),
    ...(kind === 'being' || verb === 'summon' || name.startsWith('@') ? [] : [`/${name.replace(/^\//, '')}`]),
    ...(kind === undefined && verb !== 'summon' ? [`matter:${name}`, ...withinPlace(name)] : []),
  ].flatMap((form) => [form, form.toLowerCase()])
  const found = [...new Set(forms)].filter((form) => addresses.includes(form))
  if (found.length > 1) throw fieldFault(field, written, `one of ${found.join(', ')}`)
  return found[0] === undefined ? given : { ...given, [field]: found[0] }
}
