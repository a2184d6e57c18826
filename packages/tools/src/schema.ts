import type { Json, JsonObject } from '@treeos/core'
import type { OperationInput } from '@treeos/sdk'

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
  const [{ fromJsonSchema }, { AjvJsonSchemaValidator }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/validators/ajv'),
  ])
  return fromJsonSchema<JsonObject>(schema as never, new AjvJsonSchemaValidator()) as Schema
}
