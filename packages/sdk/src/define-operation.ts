import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { isJsonObject, type Json, type JsonObject, quote, TreeosError } from '@treeos/core'
import type {
  BeingRow,
  Decided,
  MatterRow,
  Operation,
  OperationTarget,
  SpaceRow,
  Standing,
  WorldReader,
} from '@treeos/world'

type Kind = 'being' | 'space' | 'matter'
type TargetOf<K extends Kind> = { being: BeingRow; space: SpaceRow; matter: MatterRow }[K]

/** An operation as its author writes it. */
export interface OperationInput<Name extends string, On extends Kind, Args> {
  /** `<extension>:<verb>` */
  readonly name: Name
  /** for people and models, in a sentence */
  readonly description: string
  /** what it is done to */
  readonly on: On
  /** who may, where no space on the way up says otherwise: what the actor has to be to the target */
  readonly allow: readonly Standing[]
  /** a Standard Schema of its arguments, such as zod's, valibot's or arktype's; none when left out */
  readonly args?: StandardSchemaV1<unknown, Args>
  /** Pure but for its reads: they are remembered, and it is decided again when one of them moves before the commit. */
  decide(at: {
    readonly actor: BeingRow
    readonly target: TargetOf<On>
    readonly args: Args
    readonly world: WorldReader
  }): Outcome | Promise<Outcome>
}

/** What was decided: at most 64 facts, and what the actor is told of it. */
export type Outcome = Pick<Decided, 'facts' | 'reply'> & { readonly result?: Json }

/**
 * Defines a DO operation. Its arguments are validated before it decides, and listed from their schema where that can tell
 * its JSON Schema (the `jsonSchema` of Standard Schema).
 * @throws {TypeError} for a schema that is none
 */
export function defineOperation<const Name extends string, On extends Kind, Args = Record<string, never>>(
  input: OperationInput<Name, On, Args>,
): Operation<Name> {
  const { name, description, on, allow, args: schema } = input
  if (schema !== undefined && typeof schema['~standard']?.validate !== 'function')
    throw new TypeError(`the args of operation ${name} are no Standard Schema`)
  const operation: Operation<Name> = {
    name,
    description,
    targets: [on],
    allow,
    args: schema === undefined ? {} : describeArguments(schema),
    async decide({ actor, target, args, world }) {
      const valid = schema === undefined ? requireNone(name, args) : await validate(name, schema, args)
      const {
        facts,
        result = null,
        reply,
      } = await input.decide({
        actor,
        target: requireKind(name, on, target),
        args: valid as Args,
        world,
      })
      return { facts, result, ...(reply === undefined ? {} : { reply }) }
    },
  }
  return Object.freeze(operation)
}

function requireKind<On extends Kind>(name: string, on: On, target: OperationTarget): TargetOf<On> {
  if (target.kind === 'being' && on === 'being') return target.being as TargetOf<On>
  if (target.kind === 'space' && on === 'space') return target.space as TargetOf<On>
  if (target.kind === 'matter' && on === 'matter') return target.matter as TargetOf<On>
  throw new TreeosError('INVALID_TYPE', `${name} takes a ${on}`)
}

function requireNone(name: string, args: JsonObject): JsonObject {
  const [first] = Object.keys(args)
  if (first === undefined) return {}
  throw new TreeosError('INVALID_INPUT', `${name} takes no argument ${quote(first)}; it takes none at all`)
}

async function validate(name: string, schema: StandardSchemaV1, args: JsonObject): Promise<unknown> {
  const result = await schema['~standard'].validate(args)
  if (result.issues === undefined) return result.value
  const why = result.issues.slice(0, ISSUES_TOLD_MAX).map(({ message, path = [] }) => {
    const at = path.map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
    return at === '' ? message : `${at} is ${quote(at.includes('.') ? null : (args[at] ?? null))}: ${message}`
  })
  throw new TreeosError('INVALID_INPUT', `${name}: ${why.join('; ')}`)
}
const ISSUES_TOLD_MAX = 5

/** Each argument with what it takes: the description of its property, or its type. */
function describeArguments(schema: StandardSchemaV1): Record<string, string> {
  const { properties, required } = jsonSchemaOf(schema) ?? {}
  if (!isJsonObject(properties)) return {}
  const needed = Array.isArray(required) ? required : []
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const { description, type, enum: values } = isJsonObject(property) ? property : ({} as JsonObject)
      const takes = Array.isArray(values) ? values.join(', ') : String(type ?? 'any JSON')
      const told = typeof description === 'string' ? `${description} (${takes})` : takes
      return [name, needed.includes(name) ? told : `${told}; may be left out`]
    }),
  )
}

function jsonSchemaOf(schema: StandardSchemaV1): JsonObject | null {
  const { jsonSchema } = schema['~standard'] as Partial<StandardJSONSchemaV1.Props>
  if (jsonSchema === undefined) return null
  try {
    return jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject
  } catch {
    return null // no JSON Schema can say what it takes: it is validated all the same
  }
}
