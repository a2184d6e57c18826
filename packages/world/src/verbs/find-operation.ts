import { quote, ROOT_SPACE, stanceOf, TreeosError } from '@treeos/core'
import type { Operation } from '../extend/extension.ts'
import type { Registry } from '../extend/registry.ts'
import { isRoot, nameOf, type OperationTarget } from '../read/target.ts'
import type { BeingRow } from '../rows/rows.ts'

/** An operation with the name of the extension that brings it. */
export type Registered = Operation & { readonly origin: string }

/** @throws {TreeosError} ACTION_NOT_SUPPORTED */
export function requireOperation(registry: Registry, action: string, verb: 'do' | 'be'): Registered {
  const operation = (verb === 'do' ? registry.operations : registry.beOperations).get(action)
  if (operation !== undefined) return operation
  if (verb === 'be') {
    const known = [...registry.beOperations.keys()].sort().join(', ')
    throw new TreeosError(
      'ACTION_NOT_SUPPORTED',
      `no BE operation ${quote(action)} is registered; there is ${known}`,
    )
  }
  throw new TreeosError(
    'ACTION_NOT_SUPPORTED',
    `no action ${quote(action)} is registered; \`treeos operations\` lists them`,
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
    `${operation.name} takes ${takes.join(' or ')}, not ${nameOf(target)}`,
  )
}
