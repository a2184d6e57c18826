import type { JsonObject } from '@treeos/core'
import type { Registry } from '@treeos/world'

/** An operation, as lists show it. */
export interface OperationView {
  readonly verb: 'do' | 'be'
  readonly name: string
  readonly origin: string
  readonly description: string
  readonly targets: readonly string[]
  /** relationships of the actor to the target; one suffices where no space has a rule */
  readonly allow: readonly string[]
  readonly args: Readonly<Record<string, string>>
  /** JSON Schema of the arguments, for forms; left out where only `args` describes them */
  readonly schema?: JsonObject
  /** set when it performs an effect outside first: how long one attempt may take, and how many there are */
  readonly effect?: { readonly timeoutSeconds: number; readonly attempts: number }
}

/** All operations of the loaded code. */
export function listOperations(registry: Registry): OperationView[] {
  const view = (verb: 'do' | 'be', operations: typeof registry.operations): OperationView[] =>
    [...operations.values()].map(({ name, origin, description, targets, allow, args, schema, effect }) => ({
      verb,
      name,
      origin,
      description,
      targets,
      allow,
      args,
      ...(schema === undefined ? {} : { schema }),
      ...(effect === undefined
        ? {}
        : { effect: { timeoutSeconds: effect.timeoutSeconds, attempts: effect.attempts } }),
    }))
  return [...view('do', registry.operations), ...view('be', registry.beOperations)]
}
