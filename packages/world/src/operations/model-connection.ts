import { isKey, type Json, quote, stanceOf, TreeosError } from '@treeos/core'
import type { BeingRow } from '../rows/rows.ts'

/** Namespace of the quality `llm.connection`: the name of a model connection in the operator's configuration. */
export const LLM = 'llm'
const FIELD = 'connection'

/** @throws {TreeosError} INVALID_INPUT unless it is a name */
export function requireConnectionName(operation: string, name: Json): string {
  if (typeof name === 'string' && isKey(name)) return name
  throw new TreeosError(
    'INVALID_INPUT',
    `${operation}: the model connection is ${quote(name)}; it takes a kebab-case name of the operator's configuration`,
  )
}

/**
 * Refuses a quality below `llm` other than the name of a model connection, and a being that chooses its own.
 * @param lender the driver whose reach the actor has; null when it acts for itself
 */
export function requireConnectionChange(
  { path, value }: { readonly path: readonly string[]; readonly value: Json },
  {
    actor,
    target,
    lender,
  }: { readonly actor: BeingRow; readonly target: BeingRow; readonly lender: BeingRow | null },
): void {
  if (path[0] !== LLM) return
  if (path.length !== 2 || path[1] !== FIELD)
    throw new TreeosError(
      'INVALID_INPUT',
      `set-being: ${path.join('.')} does not exist; there is ${LLM}.${FIELD}`,
    )
  if (value !== null) requireConnectionName('set-being', value)
  if (actor.name === target.name && lender === null && target.cognition.kind !== 'human')
    throw new TreeosError(
      'FORBIDDEN',
      `${stanceOf(actor.name)} does not choose its own model: a maker of it or the operator does`,
    )
}
