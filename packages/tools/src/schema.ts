import { canonicalJson, type Json, type JsonObject, messageOfThrown, TreeosError } from '@treeos/core'
import type { OperationInput } from '@treeos/sdk'
import type { SchemaFault } from './definition.ts'

type Schema = NonNullable<OperationInput<string, 'being', JsonObject, Json>['args']>

/** A Standard Schema of a JSON Schema. What validates is loaded with the first call. */
export function argumentsBy(schema: JsonObject): Schema {
  let compiled: Promise<Schema> | null = null
  return {
    '~standard': {
      version: 1,
      vendor: 'treeos',
      jsonSchema: { input: () => schema, output: () => schema },
      async validate(value: unknown) {
        compiled ??= compile(schema)
        return (await compiled)['~standard'].validate(value)
      },
    },
  } as Schema
}

/** Each has a validator of its own: two schemas of one server may have the same `$id`. */
async function compile(schema: JsonObject): Promise<Schema> {
  const [{ fromJsonSchema }, { AjvJsonSchemaValidator }] = await loadValidator()
  try {
    return fromJsonSchema<JsonObject>(schema as never, new AjvJsonSchemaValidator()) as Schema
  } catch (error) {
    throw new TreeosError(
      'INVALID_INPUT',
      `the server's schema of the arguments cannot be used: ${messageOfThrown(error)}`,
    )
  }
}

const loadValidator = () =>
  Promise.all([import('@modelcontextprotocol/client'), import('@modelcontextprotocol/client/validators/ajv')])

/** What says why a schema cannot check arguments: another draft, or a pattern of another language. */
export async function loadSchemaFault(): Promise<SchemaFault> {
  const [{ fromJsonSchema }, { AjvJsonSchemaValidator }] = await loadValidator()
  const known = new Map<string, string | null>()
  const faultOf: SchemaFault = (schema) => {
    try {
      fromJsonSchema(schema as never, new AjvJsonSchemaValidator())
      return null
    } catch (error) {
      return messageOfThrown(error)
    }
  }
  return (schema) => {
    const text = canonicalJson(schema)
    const fault = known.has(text) ? (known.get(text) ?? null) : faultOf(schema)
    known.set(text, fault)
    return fault
  }
}
