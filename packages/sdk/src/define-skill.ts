import type { Json, JsonObject } from '@treeos/core'
import type { Schema, Signature } from '@treeos/signature'
import type { AskSignature, Operation } from '@treeos/world'
import { defineOperation, type OperationInput, type Outcome } from './define-operation.ts'

/** A named package of model calls with one entry. The operation of its name invokes it. */
export interface Skill<Name extends string = string> {
  readonly name: Name
  /** the Signature that is called first; overlays attach to it unless they name another one */
  readonly entry: Signature
  readonly operation: Operation<Name>
}

type SkillTargetKind = OperationInput<string, 'being' | 'space' | 'matter', unknown, Json>['on']
type DecideInput<On extends SkillTargetKind, Inputs, Result extends Json> = Parameters<
  OperationInput<string, On, Inputs, Result>['decide']
>[0]

/** A skill as its author writes it. */
export interface SkillInput<
  Name extends string,
  On extends SkillTargetKind,
  Inputs extends JsonObject,
  Outputs extends Json,
  Result extends Json = Outputs,
> {
  /** `<extension>:<verb>` */
  readonly name: Name
  /** one sentence for people and models */
  readonly description: string
  /** kind of the target */
  readonly on: On
  /** who may invoke it, as for an operation */
  readonly allow: OperationInput<Name, On, Inputs, Result>['allow']
  readonly entry: Signature<Inputs, Outputs>
  /** a Standard Schema of the arguments; left out: the arguments are the inputs of the entry */
  readonly args?: Schema<Inputs>
  /** what each argument is, by name, where the schema does not say it */
  readonly about?: OperationInput<Name, On, Inputs, Result>['about']
  /** for one attempt of the whole skill; default 120 */
  readonly timeoutSeconds?: number
  /** default 3 */
  readonly attempts?: number
  /**
   * Calls the Signatures of the skill; left out: the entry alone, with the arguments. It may run more than
   * once for one act.
   * @returns what is recorded as the result, and what `decide` gets as `effect`
   */
  readonly run?: (at: { readonly args: Inputs; readonly ask: AskSignature }) => Promise<Result>
  /** what follows in the world; left out: nothing but the result */
  readonly decide?: (at: DecideInput<On, Inputs, Result>) => Outcome | Promise<Outcome>
}

/** A shape of tasks: what is taken, what is given, and the Signature between them. */
export type TaskShape<Name extends string = string> = Skill<Name>

/**
 * Defines a shape of tasks. To dispatch a task is to do the operation of its name: it passes both gates, and
 * then a child workflow of the being calls the model. It is one call of one Signature, with the arguments as
 * its inputs.
 * @throws {RangeError} when `timeoutSeconds` or `attempts` is out of range
 * @example
 * const judge = defineTask({
 *   name: 'moods:judge',
 *   description: 'Judges the mood of a text.',
 *   on: 'being',
 *   allow: ['self'],
 *   entry: mood, // of defineSignature
 * })
 */
export function defineTask<
  const Name extends string,
  On extends SkillTargetKind,
  Inputs extends JsonObject,
  Outputs extends Json,
>(input: Omit<SkillInput<Name, On, Inputs, Outputs>, 'run' | 'args'>): TaskShape<Name> {
  return packageOf(input, true)
}

/**
 * Defines a skill. Its operation passes both gates like any other, its calls are within the budgets of the
 * actor and by the actor's own model, and the result is recorded: a replay calls no model.
 * @throws {RangeError} when `timeoutSeconds` or `attempts` is out of range
 * @example
 * const summarize = defineSkill({
 *   name: 'library:summarize',
 *   description: 'Summarizes a text.',
 *   on: 'space',
 *   allow: ['anyone'],
 *   entry: summary, // of defineSignature
 * })
 */
export function defineSkill<
  const Name extends string,
  On extends SkillTargetKind,
  Inputs extends JsonObject,
  Outputs extends Json,
  Result extends Json = Outputs,
>(input: SkillInput<Name, On, Inputs, Outputs, Result>): Skill<Name> {
  return packageOf(input, false)
}

function packageOf<
  const Name extends string,
  On extends SkillTargetKind,
  Inputs extends JsonObject,
  Outputs extends Json,
  Result extends Json = Outputs,
>(input: SkillInput<Name, On, Inputs, Outputs, Result>, isTask: boolean): Skill<Name> {
  const { name, description, on, allow, entry, timeoutSeconds = 120, attempts = 3 } = input
  const { args = entry.schema, decide = (at) => ({ facts: [], result: at.effect }) } = input
  const run = input.run ?? (({ args, ask }) => ask(entry, args) as Promise<Json> as Promise<Result>)
  const operation = defineOperation<Name, On, Inputs, Result>({
    name,
    description,
    on,
    allow,
    args,
    ...(input.about === undefined ? {} : { about: input.about }),
    effect: {
      timeoutSeconds,
      attempts,
      perform: ({ args, ask }) => run({ args, ask }),
      ...(isTask ? { isTask: true as const } : {}),
    },
    decide,
  })
  return Object.freeze({ name, entry, operation: Object.freeze({ ...operation, entry: entry.name }) })
}
