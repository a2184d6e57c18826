import type { JsonObject } from '@treeos/core'
import type { DecidedOperation, DecideInput, Operation } from '../extend/extension.ts'
import type { ArgumentForms } from './argument-forms.ts'
import { describedSchema } from './argument-schema.ts'
import { Arguments } from './arguments.ts'
import { requireOwnAct } from './own-act.ts'

/** A built-in operation as it is written. */
interface BuiltInInput<Name extends string>
  extends Omit<Operation<Name>, 'args' | 'schema' | 'requireArgs' | 'inPerson' | 'decide'> {
  readonly takes: ArgumentForms
  /** arguments that it takes only where an operation of an extension carries it out */
  readonly carried?: ArgumentForms
  /** arguments that no form and no prompt tells of */
  readonly untold?: ArgumentForms
  /** that only a person does it, by an act of its own, as in "only a person marks as trusted" */
  readonly inPerson?: string
  /** @param given its arguments, which are checked */
  decide(input: DecideInput, given: Arguments): Promise<DecidedOperation> | DecidedOperation
}

/** Defines a built-in operation. Its arguments are checked before it decides. */
export function defineBuiltIn<const Name extends string>({
  takes,
  carried = {},
  untold = {},
  inPerson,
  decide,
  ...operation
}: BuiltInInput<Name>): Operation<Name> {
  const { name } = operation
  const ofActor: ArgumentForms = { ...takes, ...untold }
  const ofExtension: ArgumentForms = { ...ofActor, ...carried }
  return {
    ...operation,
    ...(inPerson === undefined ? {} : { inPerson: true as const }),
    args: Object.fromEntries(Object.entries(takes).map(([argument, { about }]) => [argument, about])),
    schema: schemaOf(takes),
    requireArgs(args) {
      new Arguments(name, args, ofActor)
    },
    decide(input) {
      const given = new Arguments(name, input.args, input.carriedBy === null ? ofActor : ofExtension)
      if (inPerson !== undefined) requireOwnAct(input, inPerson)
      return decide(input, given)
    },
  }
}

const schemaOf = (takes: ArgumentForms): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(takes).map(([name, { schema, about }]) => [name, describedSchema(schema, about)]),
  ),
  required: Object.entries(takes).flatMap(([name, { isNeeded }]) => (isNeeded ? [name] : [])),
  additionalProperties: false,
})
