import { asJson, isJsonObject, type Json, type JsonObject } from '@treeos/core'

/**
 * What an argument of a built-in operation may be: the part of JSON Schema that is checked here. One without
 * words takes any JSON.
 */
export interface ArgumentSchema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object'
  readonly enum?: readonly string[]
  /** in code points */
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: ArgumentSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, ArgumentSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly anyOf?: readonly ArgumentSchema[]
}

/** Whether a value is what a schema takes. */
export function fitsSchema(schema: ArgumentSchema, value: Json): boolean {
  if (schema.anyOf !== undefined && !schema.anyOf.some((one) => fitsSchema(one, value))) return false
  if (schema.enum !== undefined && !schema.enum.some((one) => one === value)) return false
  if (schema.type !== undefined && !hasType(schema.type, value)) return false
  if (typeof value === 'string') return isWithin([...value].length, schema.minLength, schema.maxLength)
  if (typeof value === 'number') return isWithin(value, schema.minimum, schema.maximum)
  if (Array.isArray(value)) return fitsList(schema, value)
  return isJsonObject(value) ? fitsObject(schema, value) : true
}

function hasType(type: NonNullable<ArgumentSchema['type']>, value: Json): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

const isWithin = (n: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean =>
  n >= least && n <= most

function fitsList({ items, minItems, maxItems }: ArgumentSchema, values: readonly Json[]): boolean {
  if (!isWithin(values.length, minItems, maxItems)) return false
  return items === undefined || values.every((value) => fitsSchema(items, value))
}

function fitsObject(
  { properties = {}, required = [], additionalProperties = true }: ArgumentSchema,
  value: JsonObject,
): boolean {
  if (!required.every((name) => Object.hasOwn(value, name))) return false
  return Object.entries(value).every(([name, one]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    return property === undefined ? additionalProperties : fitsSchema(property, one)
  })
}

const TYPE_LABELS: Readonly<Record<NonNullable<ArgumentSchema['type']>, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
}

/** What a schema takes, in the words of an error. */
export function schemaText(schema: ArgumentSchema): string {
  const { type, anyOf, minimum, maximum, maxLength } = schema
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  if (anyOf !== undefined) return anyOf.map(schemaText).join(', or ')
  if (type === undefined) return 'any JSON'
  const words = TYPE_LABELS[type]
  if (type === 'string')
    return maxLength === undefined ? words : `${words} of at most ${maxLength} characters`
  const from = minimum === undefined ? '' : ` from ${minimum}`
  return `${words}${from}${maximum === undefined ? '' : ` to ${maximum}`}`
}

/** As a form or a server of tools takes it, with what the argument is. */
export const describedSchema = (schema: ArgumentSchema, description: string): JsonObject => ({
  ...(asJson(schema) as JsonObject),
  description,
})
