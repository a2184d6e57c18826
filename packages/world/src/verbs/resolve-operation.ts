import { didYouMean, quote, ROOT_SPACE, stanceOf, TreeosError } from '@treeos/core'
import type { Operation } from '../extend/extension.ts'
import type { Registry } from '../extend/registry.ts'
import { requireNotEndedTarget } from '../gates/moment-guards.ts'
import { requireGranted } from '../gates/rule-gate.ts'
import { isRoot, type OperationTarget, resolve, targetName } from '../read/target.ts'
import type { BeingRow } from '../rows/rows.ts'
import type { ActInputs } from './act-inputs.ts'
import type { Consent } from './consent/consent.ts'
import type { OperationRequest } from './request.ts'

/** An operation with the name of the extension that brings it. */
export type RegisteredOperation = Operation & { readonly origin: string }

/** An operation and its target, which the rule gate allows to the actor. */
export interface ResolvedOperation {
  readonly operation: RegisteredOperation
  readonly target: OperationTarget
  /** address of the rule that allows it */
  readonly rule: string
}

/**
 * Finds the operation that a request names and its target for the actor, and asks the rule gate about both.
 * What a being does by itself, does for another one, and what an operation carries out are all found here.
 * @param consent collects what rules ask about a being's own call; of anything else, a rule that asks refuses
 *   it
 * @throws {TreeosError} ACTION_NOT_SUPPORTED, INVALID_INPUT, the error of a target that does not exist,
 *   INVALID_TYPE, BEING_ENDED, FORBIDDEN
 */
export async function resolveOperation(
  {
    reader,
    registry,
    thread,
    fromOutside,
  }: Pick<ActInputs, 'reader' | 'registry' | 'thread' | 'fromOutside'>,
  { verb, operation: name, target: named, overlay }: OperationRequest,
  actor: BeingRow,
  consent: Consent | null = null,
): Promise<ResolvedOperation> {
  const operation = requireOperation(registry, name, verb)
  // Nobody would see it, and who gave it would not know.
  if (overlay !== undefined && operation.entry === undefined)
    throw new TreeosError('INVALID_INPUT', `an overlay is for a skill or a task; ${name} is neither`)
  const target: OperationTarget =
    verb === 'be'
      ? { kind: 'being', being: actor }
      : await resolve({ reader, me: actor, thread }, named ?? defaultTarget(operation, actor))
  requireTarget(operation, target)
  requireNotEndedTarget(target)
  const { name: key, allow: fallback, ask } = operation
  const asked = { key, target, fallback, fromOutside, ...(ask === undefined ? {} : { ask }) }
  const granted = consent?.granted.bind(consent) ?? requireGranted
  return { operation, target, rule: await granted(reader, actor, verb, asked) }
}

/** @throws {TreeosError} ACTION_NOT_SUPPORTED */
export function requireOperation(registry: Registry, name: string, verb: 'do' | 'be'): RegisteredOperation {
  const registered = verb === 'do' ? registry.operations : registry.beOperations
  const operation = registered.get(name)
  if (operation !== undefined) return operation
  const known = [...registry.beOperations.keys()].sort().join(', ')
  throw new TreeosError(
    'ACTION_NOT_SUPPORTED',
    verb === 'be'
      ? `no BE operation ${quote(name)} is registered; there is ${known}`
      : `no action ${quote(name)} is registered${didYouMean(name, registered.keys())}`,
  )
}

/** The target of an operation whose caller names none. */
export function defaultTarget(operation: Operation, me: BeingRow): string {
  if (operation.targets.includes('reality')) return ROOT_SPACE
  return operation.targets.includes('being') ? stanceOf(me.name) : me.space
}

/** @throws {TreeosError} INVALID_TYPE */
export function requireTarget(operation: Operation, target: OperationTarget): void {
  const kinds = isRoot(target) ? [target.kind, 'reality' as const] : [target.kind]
  if (kinds.some((kind) => operation.targets.includes(kind))) return
  const takes = operation.targets.map((kind) => (kind === 'reality' ? 'the reality, /' : `a ${kind}`))
  throw new TreeosError(
    'INVALID_TYPE',
    `${operation.name} takes ${takes.join(' or ')}, not ${targetName(target)}`,
  )
}
