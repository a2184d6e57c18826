import { isJsonObject, type Json } from '@treeos/core'
import type { DecideInput } from '../extend/extension.ts'
import { requireOwnAct } from './own-act.ts'

/**
 * Qualities of a being that open a way to it from outside: that agents of others find it, what chat clients may
 * ask of it, and that workflows act as it. Namespaces of these, with the one key that counts, or null for all.
 */
const OPENING: Readonly<Record<string, string | null>> = { a2a: null, chat: null, wake: 'workflows' }

/** Whether a change of a quality of a being opens a way to it. */
export function isOpening({
  path,
  value,
}: {
  readonly path: readonly string[]
  readonly value: Json
}): boolean {
  const [namespace = '', key] = path
  if (!Object.hasOwn(OPENING, namespace)) return false
  const counts = OPENING[namespace]
  if (counts === null || key === counts) return true
  return key === undefined && isJsonObject(value) && Object.hasOwn(value, String(counts))
}

/**
 * A hijacked mind could publish itself, and a program its person, so only a person opens a being.
 * @throws {TreeosError} FORBIDDEN
 */
export function requirePersonToOpen(change: Parameters<typeof isOpening>[0], input: DecideInput): void {
  if (isOpening(change))
    requireOwnAct(input, `only a person sets ${change.path.join('.')}, which opens a being`)
}
