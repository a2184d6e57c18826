import { isJsonObject, type Json, type JsonObject } from '@treeos/core'
import { bareJson } from '@treeos/signature'
import type { Operation } from '../extend/extension.ts'

/**
 * Words of JSON Schema that all servers take. What else a schema says is checked when the operation decides.
 */
const WORDS = ['type', 'enum'] as const
const DESCRIPTION_LENGTH_MAX = 300
const DEPTH_MAX = 4
/** A longer schema would cost more of a prompt than it helps. */
const LENGTH_MAX = 4000

/**
 * What the arguments of a tool take: `none` where no operation takes any; null where any object may be given.
 */
export type ArgumentsSchema = JsonObject | 'none' | null

/**
 * The arguments of the operations in reach, as JSON Schema, so that servers can hold a model to them. With
 * one operation it is its own schema, with several one for each of them.
 */
export function argumentsSchema(
  held: readonly Pick<Operation, 'name' | 'args' | 'schema'>[],
): ArgumentsSchema {
  if (held.every(({ args }) => Object.keys(args).length === 0)) return 'none'
  const schemas = held.map(objectOf)
  const [only = null] = schemas
  const schema = held.length === 1 ? only : choiceOf(held, schemas)
  return schema === null || JSON.stringify(schema).length > LENGTH_MAX ? null : schema
}

const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {}, required: [], additionalProperties: false }

/** What takes any JSON: servers want to know of which types. */
const ANYTHING: JsonObject = {
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'object', additionalProperties: true },
  ],
}

/** @returns null where the arguments are told in words only, and may be anything */
function objectOf({ args, schema }: Pick<Operation, 'args' | 'schema'>): JsonObject | null {
  if (Object.keys(args).length === 0) return NO_ARGUMENTS
  return schema === undefined ? null : readOnce(schema)
}

/**
 * @returns null where one of them may be anything: it would let the model write whatever it likes for the
 *   others, too
 */
function choiceOf(
  held: readonly Pick<Operation, 'name'>[],
  schemas: readonly (JsonObject | null)[],
): JsonObject | null {
  const choices = schemas.flatMap((schema, i) =>
    schema === null ? [] : [{ ...schema, description: `of ${held[i]?.name}` }],
  )
  return choices.length < schemas.length ? null : { anyOf: choices }
}

/** Whether none of the operations can be called without arguments. */
export const needsArguments = ({ required, anyOf }: JsonObject): boolean =>
  Array.isArray(anyOf)
    ? anyOf.every((one) => isJsonObject(one) && needsArguments(one))
    : Array.isArray(required) && required.length > 0

const propertiesOf = ({ properties }: JsonObject): JsonObject => (isJsonObject(properties) ? properties : {})

/** Schemas belong to operations, and live as long as they do. Each moment of a model asks for them. */
const schemasRead = new WeakMap<JsonObject, { readonly schema: JsonObject | null }>()

function readOnce(schema: JsonObject): JsonObject | null {
  const known = schemasRead.get(schema) ?? { schema: readableSchema(schema, 0) }
  schemasRead.set(schema, known)
  return known.schema
}

/** A server of tools may have written it. */
const oneLine = (text: string): string =>
  bareJson(text.replace(/\s+/gu, ' ')).slice(0, DESCRIPTION_LENGTH_MAX)

/** @returns null for a schema with a part that some servers do not take */
function readableSchema(schema: Json | undefined, depth: number): JsonObject | null {
  if (!isJsonObject(schema) || depth > DEPTH_MAX) return null
  const { description } = schema
  const said = {
    ...Object.fromEntries(WORDS.flatMap((word) => (word in schema ? [[word, schema[word] ?? null]] : []))),
    ...(typeof description === 'string' ? { description: oneLine(description) } : {}),
  }
  if ('const' in schema) return { ...said, enum: [schema.const ?? null] }
  if (Object.keys(schema).every((word) => word === 'description')) return { ...ANYTHING, ...said }
  if (Array.isArray(schema.anyOf) && schema.type === undefined)
    return readableChoice(schema.anyOf, said, depth)
  if (schema.type === 'array') {
    const items = readableSchema(schema.items, depth + 1)
    return items === null ? null : { ...said, items }
  }
  if (schema.type === 'object') return readableObject(schema, said, depth)
  return typeof schema.type === 'string' || 'enum' in schema ? said : null
}

function readableChoice(choices: readonly Json[], said: JsonObject, depth: number): JsonObject | null {
  const read = choices.flatMap((choice) => readableSchema(choice, depth + 1) ?? [])
  return read.length < choices.length ? null : { anyOf: read, ...said }
}

function readableObject(schema: JsonObject, said: JsonObject, depth: number): JsonObject | null {
  const properties: Record<string, Json> = {}
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const read = readableSchema(property, depth + 1)
    if (read === null) return null
    properties[name] = read
  }
  const required = Array.isArray(schema.required) ? schema.required : []
  const isOpen = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  if (isOpen && Object.keys(properties).length === 0) return { ...said, additionalProperties: true }
  return { ...said, properties, required, additionalProperties: isOpen }
}
