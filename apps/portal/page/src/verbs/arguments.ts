import { t } from '../language/index.ts'
import { typedValue } from '../text/typed-json.ts'

/** One input of a form, for one argument of an operation. */
export interface ArgumentField {
  readonly name: string
  readonly what: string
  readonly kind: 'text' | 'number' | 'yes-or-no' | 'choice' | 'json'
  readonly choices: readonly string[]
  readonly isRequired: boolean
}

/** What was typed into the form of an operation. */
export interface OperationInput {
  readonly name: string
  readonly target: string
  /** of the inputs, by argument */
  readonly values: Readonly<Record<string, string>>
  /** the arguments are written as JSON */
  readonly isRaw: boolean
  readonly raw: string
}

interface DescribedArguments {
  readonly args: Readonly<Record<string, string>>
  readonly schema: unknown
}

interface Property {
  readonly type?: unknown
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly anyOf?: readonly Property[]
}

/**
 * The inputs of an operation: by its JSON Schema, else one free input for each argument that it describes.
 */
export function argumentFields({ args, schema }: DescribedArguments): ArgumentField[] {
  const { properties, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Property>
    required?: readonly string[]
  }
  if (properties === undefined)
    return Object.entries(args).map(([name, what]) => ({
      name,
      what,
      choices: [],
      isRequired: false,
      kind: 'json' as const,
    }))
  return Object.entries(properties).map(([name, property]) => {
    const choices = (property.enum ?? []).filter((one) => typeof one === 'string')
    const what = property.description ?? args[name] ?? ''
    return { name, what, choices, kind: fieldKind(property, choices), isRequired: required.includes(name) }
  })
}

function fieldKind({ type }: Property, choices: readonly string[]): ArgumentField['kind'] {
  if (choices.length > 0) return 'choice'
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'boolean' ? 'yes-or-no' : 'json'
}

/**
 * The arguments of a filled form. An empty input is left out.
 * @throws {Error} naming the argument that cannot be read
 */
export function argumentsIn(
  fields: readonly ArgumentField[],
  values: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const args: Record<string, unknown> = {}
  for (const { name, kind } of fields) {
    const value = values[name]
    if (value === undefined || value === '') continue
    try {
      args[name] = readValue(kind, value)
    } catch {
      throw new Error(
        kind === 'number'
          ? t('{{name}} is {{value}}; it takes a number', { name, value: JSON.stringify(value) })
          : t('{{name}} is not JSON; put text that looks like JSON between quotation marks', { name }),
      )
    }
  }
  return args
}

function readValue(kind: ArgumentField['kind'], value: string): unknown {
  if (kind === 'text' || kind === 'choice') return value
  if (kind === 'yes-or-no') return value === 'true'
  if (kind === 'json') return typedValue(value)
  const number = Number(value)
  if (!Number.isFinite(number)) throw new Error(t('no number'))
  return number
}
