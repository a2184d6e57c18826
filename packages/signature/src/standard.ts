import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { isJsonObject, type JsonObject, quote, TreeosError } from '@treeos/core'

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
    const at = path.map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
    const given = !at.includes('.') && isJsonObject(value as never) ? (value as JsonObject)[at] : null
    return at === '' ? message : `${at} is ${quote(given ?? null)}: ${message}`
  })
  throw new TreeosError('INVALID_INPUT', `${what}: ${why.join('; ')}`)
}
