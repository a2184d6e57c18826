import {
  isJsonObject,
  isKey,
  type Json,
  type JsonObject,
  type MomentId,
  quote,
  TreeosError,
} from '@treeos/core'
import { isSchema, jsonSchemaOf, type Schema, validate } from '@treeos/signature'
import type {
  AskSignature,
  BeingRow,
  CarryOut,
  DecidedOperation,
  Effect,
  EffectFound,
  KeepBrought,
  MatterRow,
  Operation,
  OperationTarget,
  OutsideFetch,
  OutsideRun,
  RuleAsk,
  RuleStanding,
  SpaceRow,
  StartedWorkflow,
  WakeView,
  WorldReader,
} from '@treeos/world'
import { faultOfAsk, readAsk } from '@treeos/world'

type TargetKind = 'being' | 'space' | 'matter'
type TargetOf<K extends TargetKind> = { being: BeingRow; space: SpaceRow; matter: MatterRow }[K]

/** An effect: what an operation does outside of the world, before it decides. */
export interface EffectInput<Args, Result extends Json> {
  /** timeout of one attempt; whole seconds, 1–3600 */
  readonly timeoutSeconds: number
  /** most attempts, 1–10; the waits between them grow */
  readonly attempts: number
  /**
   * true: a child workflow of the being performs it, which Temporal shows and times on its own; left out: an
   * activity alone
   */
  readonly isTask?: true
  /** a workflow of the host that is started once the act is recorded: see `defineCall` */
  readonly starts?: StartedWorkflow
  /** names of the operator's secrets that it is given; the record names them, and never holds their values */
  readonly secrets?: readonly string[]
  /**
   * Performs the effect. It may run more than once for one act, on any worker. Pass `key` to the service that
   * you call, so that it acts once.
   * @returns the `effect` that `decide` receives; at most 64 KiB of JSON
   * @throws {TreeosError} for a failure that a retry would not change; any other error is retried
   */
  perform(at: EffectAt<Args>): Promise<Result>
  /**
   * Asks the service what became of a call whose answer was lost, under the same key, and changes nothing. It
   * is asked up to eight times. Left out: then the moment fails, and what became of the call stays unknown.
   */
  check?(at: EffectAt<Args>): Promise<LostCallOutcome<Result>>
}

/** What became of a call whose answer was lost. `value` is what `perform` would have returned. */
export type LostCallOutcome<Result extends Json> =
  | { readonly outcome: 'happened'; readonly value: Result }
  | { readonly outcome: 'did-not-happen' | 'unknown' }

/** What an effect is given. */
export interface EffectAt<Args> {
  readonly args: Args
  readonly actor: string
  /** stance of a being, path of a space or address of a thing */
  readonly target: string
  /** idempotency key: the same in every attempt, and unique to the act */
  readonly key: string
  /** id of the moment, which is also that of what `decide` tells another being */
  readonly moment: string
  /** id of the wake that opened the moment */
  readonly wake: string
  /** id of the thread of that wake */
  readonly thread: string
  /** aborts after `timeoutSeconds`, or when the activity is cancelled */
  readonly signal: AbortSignal
  /** the values of `secrets`, by name */
  readonly secrets: Readonly<Record<string, string>>
  /** sends an HTTP request, with bounds on time and size, to public addresses only */
  readonly fetch: OutsideFetch
  /** runs a command in a sandbox, with bounds; refused unless the operator turned it on */
  readonly run: OutsideRun
  /** calls the model of the actor by a Signature, within its budgets */
  readonly ask: AskSignature
  /** keeps a file from outside: the act makes a thing of it, whose address may stand in the result's `files` */
  readonly keep: KeepBrought
}

/** Whom an operation asks, as a rule of a space says it. */
export interface AskInput {
  /** stances, and the words operator, owner, contributor and parent */
  readonly who: readonly [string, ...string[]]
  /** how many of them have to say yes; 1 unless given */
  readonly count?: number
  /** seconds; a day unless given */
  readonly within?: number
}

/** An operation as its author writes it. */
export interface OperationInput<Name extends string, On extends TargetKind, Args, Result extends Json> {
  /** `<extension>:<verb>` */
  readonly name: Name
  /** one sentence for people and models */
  readonly description: string
  /** kind of the target */
  readonly on: On
  /**
   * who may do it, as relations of the actor to the target; on a space or a thing, rules of spaces on the way
   * up may say otherwise
   */
  readonly allow: readonly RuleStanding[]
  /**
   * whom to ask before it, where `allow` decides, as in `{ who: ['parent'], within: 3600 }`: see
   * docs/approvals.md
   */
  readonly ask?: AskInput
  /**
   * A Standard Schema of the arguments, such as zod's, valibot's or arktype's; left out when it takes none.
   * Models, forms and people are told what each argument is: by its description in the schema, or by `about`.
   */
  readonly args?: Schema<Args>
  /** what each argument is, by name, where the schema does not say it */
  readonly about?: { readonly [Name in keyof Args & string]-?: string }
  /**
   * It answers whoever woke the actor: the name of the argument that takes the answer as text. The prompt of
   * a being that has it names this way to answer, and no other; prose that is an answer goes this way too
   */
  readonly answers?: keyof Args & string
  /**
   * Arguments whose text is stored sealed. Before a call is recorded, each such text becomes a sealed one,
   * which `decide` gets. Its key is destroyed when the fact is erased that says it, on the reel of the thing
   * with its id (`sealedId`). Not for an operation with an effect
   */
  readonly seals?: readonly (keyof Args & string)[]
  /**
   * Asked before the effect runs, and before `decide` where there is none: what may not be done then is
   * refused before anything is done outside. Reads through `world` are recorded.
   * @returns true, or why not
   */
  allowIf?(at: {
    readonly actor: BeingRow
    readonly target: TargetOf<On>
    readonly args: Args
    readonly world: WorldReader
    readonly wake: WakeView
    readonly openedAt: number
  }): boolean | string | Promise<boolean | string>
  /** runs as an activity after both gates passed the act, and before any fact is written */
  readonly effect?: EffectInput<Args, Result>
  /**
   * Decides the facts of the act. Must be pure except for reads through `world`. Runs again when something
   * that it read changes before the commit.
   * @throws {TreeosError} to refuse; the moment fails with its code and message
   */
  decide(at: {
    readonly actor: BeingRow
    readonly target: TargetOf<On>
    readonly args: Args
    readonly world: WorldReader
    /** the moment of the actor; its id begins with the actor's name */
    readonly moment: MomentId
    /**
     * what woke the actor: take from here, and not from `args`, who asked and what was said, since a model
     * writes `args`
     */
    readonly wake: WakeView
    /** whether the moment holds words from outside: what it writes is marked so */
    readonly fromOutside: boolean
    /** result of the effect; null when the operation has none */
    readonly effect: Result
    /** when the moment opened, ms since 1970 UTC: the only clock that `decide` may read */
    readonly openedAt: number
    /**
     * Carries out an operation of TreeOS for the actor in this act; its facts come first. The rule gate is
     * asked about it and its own checks hold; the actor's lists are not asked. The manifest must name it
     * (`carriesOut`).
     */
    readonly carryOut: CarryOut
  }): Outcome | Promise<Outcome>
}

/**
 * The decision of an operation: at most 64 facts, a result for the actor, and what is said or who is woken in
 * the same act.
 */
export type Outcome = Pick<DecidedOperation, 'facts' | 'reply' | 'tell' | 'awakens' | 'rests'> & {
  readonly result?: Json
}

/**
 * Defines a DO operation. Its arguments are validated before it decides. Their descriptions come from
 * `about`, or from the schema's JSON Schema, when it provides one (`jsonSchema` of Standard Schema).
 * @throws {TypeError} when `args` is not a Standard Schema, nothing says what the operation or one of its
 *   arguments is, or `answers` names no argument, and for an `ask` that a rule of a space could not have
 * @throws {RangeError} when the effect's `timeoutSeconds` or `attempts` is out of range
 * @example
 * const rule = defineOperation({
 *   name: 'court:rule',
 *   description: 'Rules on a case.',
 *   on: 'matter',
 *   allow: ['owner'],
 *   args: z.object({ verdict: z.enum(['granted', 'denied']) }),
 *   decide: ({ target, args }) => ({ facts: [recordFact(target, 'court:ruled', args)], result: args.verdict }),
 * })
 */
export function defineOperation<
  const Name extends string,
  On extends TargetKind,
  Args = Record<string, never>,
  Result extends Json = null,
>(input: OperationInput<Name, On, Args, Result>): Operation<Name> {
  const { name, description, on, allow, args: schema, about, answers, effect } = input
  if (schema !== undefined && !isSchema(schema))
    throw new TypeError(`the args of operation ${name} are not a Standard Schema`)
  const valid = (args: JsonObject) =>
    (schema === undefined ? requireNone(name, args) : validate(name, schema, args)) as Args | Promise<Args>
  if (description.trim() === '') throw new TypeError(`operation ${name} does not say what it does`)
  const json = schema === undefined ? null : jsonSchemaOf(schema)
  const told = schema === undefined ? {} : describeArguments(name, json, about)
  if (answers !== undefined && !Object.hasOwn(told, answers))
    throw new TypeError(`operation ${name} takes no argument ${quote(answers)} by which it could answer`)
  if (input.seals !== undefined && effect !== undefined)
    throw new TypeError(`operation ${name} has an effect, which could not read what it seals`)
  const operation: Operation<Name> = {
    name,
    description,
    targets: [on],
    allow,
    ...(input.ask === undefined ? {} : { ask: requireAsk(name, input.ask) }),
    args: told,
    ...(answers === undefined ? {} : { answers }),
    ...(input.seals === undefined ? {} : { seals: input.seals }),
    ...(json === null ? {} : { schema: json }),
    async requireArgs(args) {
      await valid(args)
    },
    ...(effect === undefined ? {} : { effect: boundEffect(name, effect, valid) }),
    ...(input.allowIf === undefined
      ? {}
      : {
          async allowIf({ target, args, ...rest }) {
            const given = { ...rest, target: requireKind(name, on, target), args: await valid(args) }
            return input.allowIf?.(given) ?? true
          },
        }),
    async decide({ target, args, effect: done, ...at }) {
      const { result = null, ...outcome } = await input.decide({
        actor: at.actor,
        target: requireKind(name, on, target),
        args: await valid(args),
        world: at.world,
        moment: at.moment,
        wake: at.wake,
        fromOutside: at.fromOutside,
        effect: done as Result,
        openedAt: at.openedAt,
        carryOut: at.carryOut,
      })
      return { ...outcome, result }
    },
  }
  return Object.freeze(operation)
}

function requireAsk(operation: string, input: AskInput): RuleAsk {
  const value = { ...input, who: [...input.who] }
  const fault = faultOfAsk(value)
  const ask = readAsk(value)
  if (ask !== null) return ask
  throw new TypeError(`the ask of operation ${operation}${fault?.at ?? ''}: ${fault?.message ?? ''}`)
}

const TIMEOUT_SECONDS_MAX = 3600
const ATTEMPTS_MAX = 10

function boundEffect<Args, Result extends Json>(
  name: string,
  { timeoutSeconds, attempts, isTask, starts, secrets, perform, check }: EffectInput<Args, Result>,
  valid: (args: JsonObject) => Args | Promise<Args>,
): Effect {
  const isWithin = (value: number, max: number) => Number.isInteger(value) && value >= 1 && value <= max
  if (!isWithin(timeoutSeconds, TIMEOUT_SECONDS_MAX) || !isWithin(attempts, ATTEMPTS_MAX)) {
    throw new RangeError(
      `the effect of operation ${name} needs whole numbers: timeoutSeconds from 1 to ${TIMEOUT_SECONDS_MAX}, attempts from 1 to ${ATTEMPTS_MAX}`,
    )
  }
  return {
    timeoutSeconds,
    attempts,
    ...(isTask === true ? { isTask } : {}),
    ...(starts === undefined ? {} : { starts }),
    ...(secrets === undefined ? {} : { secrets: requireNames(name, secrets) }),
    async admit(args) {
      await valid(args)
    },
    perform: async ({ args, ...at }) => perform({ ...at, args: await valid(args) }),
    ...(check === undefined
      ? {}
      : {
          check: async ({ args, ...at }) => (await check({ ...at, args: await valid(args) })) as EffectFound,
        }),
  }
}

function requireNames(name: string, secrets: readonly string[]): readonly string[] {
  const wrong = secrets.find((secret) => !isKey(secret))
  if (wrong === undefined) return [...secrets]
  throw new RangeError(`the secret ${quote(wrong)} of operation ${name} has no kebab-case name`)
}

function requireKind<On extends TargetKind>(name: string, on: On, target: OperationTarget): TargetOf<On> {
  if (target.kind === 'being' && on === 'being') return target.being as TargetOf<On>
  if (target.kind === 'space' && on === 'space') return target.space as TargetOf<On>
  if (target.kind === 'matter' && on === 'matter') return target.matter as TargetOf<On>
  throw new TreeosError('INVALID_TYPE', `${name} takes a ${on}`)
}

function requireNone(name: string, args: JsonObject): JsonObject {
  const [first] = Object.keys(args)
  if (first === undefined) return {}
  throw new TreeosError('INVALID_INPUT', `${name} takes no arguments, but got ${quote(first)}`)
}

/**
 * A description of each argument: what it is, and its type.
 * @throws {TypeError} for an argument of which nothing says what it is
 */
function describeArguments(
  operation: string,
  schema: JsonObject | null,
  about: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const { properties, required } = schema ?? {}
  if (!isJsonObject(properties)) {
    if (about !== undefined) return { ...about }
    throw new TypeError(`nothing says what the args of operation ${operation} are: name each in about`)
  }
  const needed = Array.isArray(required) ? required : []
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const { description, type, enum: values } = isJsonObject(property) ? property : ({} as JsonObject)
      const what = about?.[name] ?? description
      if (typeof what !== 'string' || what.trim() === '')
        throw new TypeError(
          `nothing says what ${name} of operation ${operation} is: describe it in the schema, or in about`,
        )
      const taken = `${what} (${Array.isArray(values) ? values.join(', ') : String(type ?? 'any JSON')})`
      return [name, needed.includes(name) ? taken : `${taken}; may be left out`]
    }),
  )
}
