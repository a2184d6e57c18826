/** Types and operations for the client in Python, from the description of the API. */

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  /** a schema by name, and what it has more */
  readonly allOf?: readonly Schema[]
  readonly const?: unknown
  /** of the keys that are not named */
  readonly additionalProperties?: boolean | Schema
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const HEAD = '"""Made from the description of the API by `pnpm docs:clients`."""\n\n'

export function pythonShapes({ components: { schemas } }: Description): string {
  const isClass = ([, { properties, allOf }]: [string, Schema]) => (properties ?? allOf) !== undefined
  const classes = Object.entries(schemas)
    .filter(isClass)
    .sort(([, a], [, b]) => Number(a.allOf !== undefined) - Number(b.allOf !== undefined))
    .map(([name, schema]) => classOf(name, schema))
  // They name classes that come later, so they are texts.
  const aliases = Object.entries(schemas)
    .filter((one) => !isClass(one))
    .map(
      ([name, schema]) =>
        `${name} = ${schema.$ref === undefined ? typeOf(schema) : `Union[${typeOf(schema)}]`}\n`,
    )
  return `${HEAD}from typing import Any, Dict, List, Literal, Optional, TypedDict, Union\n\n\n${aliases.join('')}\n\n${classes.join('\n\n')}`
}

export function pythonOperations({ paths }: Description): string {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, { operationId }]) => `    "${operationId}": ("${method.toUpperCase()}", "${path}"),\n`,
    ),
  )
  return `${HEAD}from typing import Dict, Tuple\n\n# method and path of each operation, by its name\nOPERATIONS: Dict[str, Tuple[str, str]] = {\n${rows.sort().join('')}}\n`
}

/** What may be left out is in a class of its own below the other one: Python 3.9 knows no other way. */
function classOf(name: string, { properties = {}, required = [], allOf }: Schema): string {
  if (allOf !== undefined) {
    const [{ $ref } = {}, more = {}] = allOf
    return written(name, nameIn($ref), Object.entries(more.properties ?? {}))
  }
  const fields = (isRequired: boolean) =>
    Object.entries(properties).filter(([field]) => required.includes(field) === isRequired)
  const left = fields(false)
  if (left.length === 0) return written(name, 'TypedDict', fields(true))
  const base = `_${name}`
  return `${written(base, 'TypedDict', fields(true))}\n\n${written(name, `${base}, total=False`, left)}`
}

const written = (name: string, of: string, fields: readonly (readonly [string, Schema])[]): string =>
  `class ${name}(${of}):\n${fields.map(([field, schema]) => `    ${safe(field)}: ${typeOf(schema)}\n`).join('') || '    pass\n'}`

/** Words of Python that are fields too: such a field is read by its name, and has no type. */
const KEYWORDS = new Set(['from', 'for'])
const safe = (field: string): string => (KEYWORDS.has(field) ? `# ${field}` : field)

const nameIn = ($ref: string | undefined): string => String($ref?.split('/').at(-1))

function typeOf({
  $ref,
  type,
  enum: values,
  const: only,
  items,
  anyOf,
  properties,
  additionalProperties,
}: Schema): string {
  if ($ref !== undefined) return `"${nameIn($ref)}"`
  if (anyOf !== undefined) return `Union[${anyOf.map(typeOf).join(', ')}]`
  if (Array.isArray(type)) {
    const rest = type.filter((one) => one !== 'null')
    if (rest.length > 1) return 'Any'
    return `Optional[${typeOf({ type: rest[0], ...(values === undefined ? {} : { enum: values.filter((one) => one !== null) }), ...(items === undefined ? {} : { items }) })}]`
  }
  if (values?.every((value) => typeof value === 'string') === true)
    return `Literal[${values.map((value) => `"${value}"`).join(', ')}]`
  if (typeof only === 'string') return `Literal["${only}"]`
  if (type === 'object' && properties === undefined && typeof additionalProperties === 'object')
    return `Dict[str, ${typeOf(additionalProperties)}]`
  if (type === 'array') return `List[${items === undefined ? 'Any' : typeOf(items)}]`
  return (
    {
      string: 'str',
      integer: 'int',
      number: 'float',
      boolean: 'bool',
      null: 'None',
      object: 'Dict[str, Any]',
    }[type as string] ?? 'Any'
  )
}
