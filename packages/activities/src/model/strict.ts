import { isJsonObject, type Json, type JsonObject } from '@treeos/core'

const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']
/** Words of a JSON Schema that strict modes take everywhere. */
const WORDS: readonly string[] = [
  'type',
  'description',
  'enum',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'anyOf',
]

/**
 * Whether servers can hold a model to a schema of a tool: each object names all of its fields, needs them
 * all, and takes no others. A field that may be left out, or takes any value, makes a schema loose.
 */
export function isStrict(schema: Json): boolean {
  if (!isJsonObject(schema) || !Object.keys(schema).every((word) => WORDS.includes(word))) return false
  if (Array.isArray(schema.anyOf)) return schema.anyOf.every(isStrict)
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  if (!types.every((type) => TYPES.includes(type))) return false
  if (types.includes('array') && !isStrict(schema.items ?? null)) return false
  return !types.includes('object') || isClosed(schema)
}

function isClosed({ additionalProperties, properties, required }: JsonObject): boolean {
  if (additionalProperties !== false || !isJsonObject(properties) || !Array.isArray(required)) return false
  return Object.entries(properties).every(([name, one]) => required.includes(name) && isStrict(one))
}
