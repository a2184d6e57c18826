type Schema = Record<string, unknown>

/**
 * As much of JSON Schema as our two schemas use. An unknown keyword throws, so that none goes untested.
 * @returns whether the value is valid
 */
export function isValid(value: unknown, schema: Schema, root: Schema = schema): boolean {
  const at = (part: unknown, under: unknown) => isValid(part, under as Schema, root)
  const object = isThing(value) ? value : null
  return Object.entries(schema).every(([keyword, rule]) => {
    switch (keyword) {
      case '$schema':
      case '$defs':
      case 'title':
      case 'description':
        return true
      case '$ref':
        return at(value, (root.$defs as Schema)[(rule as string).replace('#/$defs/', '')])
      case 'type':
        return [rule].flat().some((type) => isOfType(value, type as string))
      case 'enum':
        return (rule as unknown[]).includes(value)
      case 'pattern':
        return typeof value !== 'string' || regex(rule as string).test(value)
      case 'anyOf':
        return (rule as unknown[]).some((option) => at(value, option))
      case 'items':
        return !Array.isArray(value) || value.every((item) => at(item, rule))
      case 'minimum':
        return typeof value !== 'number' || value >= (rule as number)
      case 'maximum':
        return typeof value !== 'number' || value <= (rule as number)
      case 'maxItems':
        return !Array.isArray(value) || value.length <= (rule as number)
      case 'required':
        return object === null || (rule as string[]).every((key) => Object.hasOwn(object, key))
      case 'properties':
      case 'patternProperties':
        // Judged with additionalProperties, which none of our schemas leaves out: once, not once a keyword.
        return Object.hasOwn(schema, 'additionalProperties')
      case 'additionalProperties':
        return (
          object === null || Object.entries(object).every(([key, item]) => hasPlace(key, item, schema, at))
        )
      default:
        throw new Error(`unknown keyword ${keyword}`)
    }
  })
}

function hasPlace(
  key: string,
  item: unknown,
  schema: Schema,
  at: (part: unknown, under: unknown) => boolean,
) {
  const properties = (schema.properties ?? {}) as Schema
  const patterns = Object.entries((schema.patternProperties ?? {}) as Schema)
  const places = patterns.filter(([pattern]) => regex(pattern).test(key)).map(([, place]) => place)
  if (Object.hasOwn(properties, key)) places.push(properties[key])
  return places.length === 0
    ? schema.additionalProperties !== false
    : places.every((place) => at(item, place))
}

/** Compiled once a pattern: a property test asks for the same few a million times. */
const regexes = new Map<string, RegExp>()
function regex(pattern: string): RegExp {
  const known = regexes.get(pattern) ?? new RegExp(pattern, 'u')
  regexes.set(pattern, known)
  return known
}

const isOfType = (value: unknown, type: string): boolean =>
  type === 'integer' ? Number.isInteger(value) : typeOf(value) === type

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function isThing(value: unknown): value is Schema {
  return typeOf(value) === 'object'
}
