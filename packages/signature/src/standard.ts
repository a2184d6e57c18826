import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { type Json, type JsonObject, quote, TreeosError } from '@treeos/core'

/** A Standard Schema, such as zod's, valibot's or arktype's. */
export type Schema<T> = StandardSchemaV1<unknown, T>

/** @returns null when the schema has no JSON Schema; it still validates */
export function jsonSchemaOf(schema: StandardSchemaV1): JsonObject | null {
  const { jsonSchema } = schema['~standard'] as Partial<StandardJSONSchemaV1.Props>
  if (jsonSchema === undefined) return null
  try {
    return jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject
  } catch {
    return null // JSON Schema cannot express it; the schema still validates it
  }
}

export const isSchema = (schema: unknown): schema is StandardSchemaV1 =>
  typeof (schema as Partial<StandardSchemaV1> | null)?.['~standard']?.validate === 'function'

const ISSUES_SHOWN_MAX = 5

/**
 * Validates by a Standard Schema.
 * @param what names the value in an error
 * @throws {TreeosError} INVALID_INPUT, which quotes the values at fault
 */
export async function validate<T>(what: string, schema: Schema<T>, value: unknown): Promise<T> {
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return result.value
  const why = result.issues.slice(0, ISSUES_SHOWN_MAX).map(({ message, path = [] }) => {
    const keys = path.map((key) => String(typeof key === 'object' ? key.key : key))
    const at = keys.join('.')
    if (at === '') return message
    const given = valueAt(value, keys)
    return given === undefined
      ? `${at} is missing${takes(jsonSchemaOf(schema), keys)}`
      : `${at} is ${quote(given as Json)}: ${message}`
  })
  throw new TreeosError('INVALID_INPUT', `${what}: ${why.join('; ')}`)
}

const valueAt = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  )

/** What a value takes by its JSON Schema; nothing where that does not say it. */
function takes(schema: JsonObject | null, keys: readonly string[]): string {
  const own = keys.reduce<unknown>((inner, key) => {
    const { properties, items } = (inner ?? {}) as { properties?: Record<string, unknown>; items?: unknown }
    return /^[0-9]+$/.test(key) ? items : properties?.[key]
  }, schema) as { type?: unknown; enum?: unknown; description?: unknown } | undefined
  const { type, enum: choices, description } = own ?? {}
  const what = Array.isArray(choices)
    ? `one of ${choices.join(', ')}`
    : typeof type === 'string'
      ? `${NAMED[type] ?? type}`
      : null
  if (what === null) return ''
  return `; it takes ${what}${typeof description === 'string' ? ` (${description})` : ''}`
}
const NAMED: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}
