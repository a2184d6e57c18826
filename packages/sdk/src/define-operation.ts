import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { isJsonObject, type Json, type JsonObject, quote, TreeosError } from '@treeos/core'
import type {
  BeingRow,
  Decided,
  Effect,
  MatterRow,
  Operation,
  OperationTarget,
  SpaceRow,
  Standing,
  WorldReader,
} from '@treeos/world'

type Kind = 'being' | 'space' | 'matter'
type TargetOf<K extends Kind> = { being: BeingRow; space: SpaceRow; matter: MatterRow }[K]

/** What an operation does outside of the world, before it decides. */
export interface EffectInput<Args, Result extends Json> {
  /** of one attempt; whole seconds, 1–300 */
  readonly timeoutSeconds: number
  /** 1–10: one that fails is made again, later and later */
  readonly attempts: number
  /**
   * May run more than once for one act, by any worker: tell whoever is asked the key, so that it does the thing once.
   * @returns what `decide` is given as `effect`; at most 64 KiB of JSON
   * @throws {TreeosError} for what no further attempt would change; any other error is tried again
   */
  perform(at: {
    readonly args: Args
    readonly actor: string
    /** stance, path or address */
    readonly target: string
    /** the same in every attempt, and of no other act */
    readonly key: string
    readonly signal: AbortSignal
  }): Promise<Result>
}

/** An operation as its author writes it. */
export interface OperationInput<Name extends string, On extends Kind, Args, Result extends Json> {
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
  /** runs as an activity of its own once both gates have passed the act, and before anything of it is written */
  readonly effect?: EffectInput<Args, Result>
  /** Pure but for its reads: they are remembered, and it is decided again when one of them moves before the commit. */
  decide(at: {
    readonly actor: BeingRow
    readonly target: TargetOf<On>
    readonly args: Args
    readonly world: WorldReader
    /** what came of the effect; null without one */
    readonly effect: Result
  }): Outcome | Promise<Outcome>
}

/** What was decided: at most 64 facts, and what the actor is told of it. */
export type Outcome = Pick<Decided, 'facts' | 'reply'> & { readonly result?: Json }

/**
 * Defines a DO operation. Its arguments are validated before it decides, and listed from their schema where that can tell
 * its JSON Schema (the `jsonSchema` of Standard Schema).
 * @throws {TypeError} for a schema that is none
 */
export function defineOperation<
  const Name extends string,
  On extends Kind,
  Args = Record<string, never>,
  Result extends Json = null,
>(input: OperationInput<Name, On, Args, Result>): Operation<Name> {
  const { name, description, on, allow, args: schema, effect } = input
  if (schema !== undefined && typeof schema['~standard']?.validate !== 'function')
    throw new TypeError(`the args of operation ${name} are no Standard Schema`)
  const valid = (args: JsonObject) =>
    (schema === undefined ? requireNone(name, args) : validate(name, schema, args)) as Args | Promise<Args>
  const json = schema === undefined ? null : jsonSchemaOf(schema)
  const operation: Operation<Name> = {
    name,
    description,
    targets: [on],
    allow,
    args: schema === undefined ? {} : describeArguments(json),
    ...(json === null ? {} : { schema: json }),
    ...(effect === undefined ? {} : { effect: boundEffect(name, effect, valid) }),
    async decide({ actor, target, args, world, effect: done }) {
      const {
        facts,
        result = null,
        reply,
      } = await input.decide({
        actor,
        target: requireKind(name, on, target),
        args: await valid(args),
        world,
        effect: done as Result,
      })
      return { facts, result, ...(reply === undefined ? {} : { reply }) }
    },
  }
  return Object.freeze(operation)
}

const TIMEOUT_SECONDS_MAX = 300
const ATTEMPTS_MAX = 10

function boundEffect<Args, Result extends Json>(
  name: string,
  { timeoutSeconds, attempts, perform }: EffectInput<Args, Result>,
  valid: (args: JsonObject) => Args | Promise<Args>,
): Effect {
  const isWithin = (value: number, max: number) => Number.isInteger(value) && value >= 1 && value <= max
  if (!isWithin(timeoutSeconds, TIMEOUT_SECONDS_MAX) || !isWithin(attempts, ATTEMPTS_MAX)) {
    throw new RangeError(
      `the effect of operation ${name} takes timeoutSeconds from 1 to ${TIMEOUT_SECONDS_MAX} and attempts from 1 to ${ATTEMPTS_MAX}`,
    )
  }
  return {
    timeoutSeconds,
    attempts,
    async check(args) {
      await valid(args)
    },
    perform: async ({ args, ...at }) => perform({ ...at, args: await valid(args) }),
  }
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
  const why = result.issues.slice(0, ISSUES_SHOWN_MAX).map(({ message, path = [] }) => {
    const at = path.map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
    return at === '' ? message : `${at} is ${quote(at.includes('.') ? null : (args[at] ?? null))}: ${message}`
  })
  throw new TreeosError('INVALID_INPUT', `${name}: ${why.join('; ')}`)
}
const ISSUES_SHOWN_MAX = 5

/** Each argument with what it takes: the description of its property, or its type. */
function describeArguments(schema: JsonObject | null): Record<string, string> {
  const { properties, required } = schema ?? {}
  if (!isJsonObject(properties)) return {}
  const needed = Array.isArray(required) ? required : []
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const { description, type, enum: values } = isJsonObject(property) ? property : ({} as JsonObject)
      const takes = Array.isArray(values) ? values.join(', ') : String(type ?? 'any JSON')
      const taken = typeof description === 'string' ? `${description} (${takes})` : takes
      return [name, needed.includes(name) ? taken : `${taken}; may be left out`]
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
