import { type FactDraft, stanceOf, TreeosError } from '@treeos/core'
import type { BeingRow } from '../rows/rows.ts'
import { SUBSCRIPTIONS } from '../rows/subscriptions.ts'
import type { LoadedCode } from './extension.ts'
import { SUBSTRATE_NAMES, SUBSTRATE_REGISTRY } from './substrate.ts'

/**
 * Namespaces of qualities by which TreeOS itself lives, and the operations that write them. No other does,
 * whatever its rights.
 */
export const WRITERS: Readonly<Record<string, readonly string[]>> = {
  roleFlow: ['set-roleflow'],
  schedule: ['set-schedule', 'delete-schedule'],
  subscription: ['subscribe', 'unsubscribe', 'set-roleflow', 'set-default-role', 'set-role', 'delete-role'],
  llm: ['set-being', 'set-roleflow'],
  wake: ['set-being'],
  a2a: ['set-being'],
  chat: ['set-being'],
  passkeys: ['set-being'],
  permissions: ['set-space'],
  shadow: ['set-space', 'set-being'],
}

/** Operations that end subscriptions of beings which may see no more, and write none. */
export const ENDERS: readonly string[] = ['set-space', 'remove-contributor']

interface QualityWrite {
  readonly known: Pick<LoadedCode, 'namespaces'>
  readonly actor: BeingRow
  readonly lender: BeingRow | null
}

/**
 * Says whose a namespace of qualities is, as with signals: that of an extension belongs to its operations and
 * to the operator, and that of TreeOS to the operations that it names. Every operation passes here, also one
 * that is carried out or requested.
 * @throws {TreeosError} FORBIDDEN naming the namespace and whose it is
 */
export function requireOwnQualities(
  { name, origin }: { readonly name: string; readonly origin: string },
  facts: readonly FactDraft[],
  { known, actor, lender }: QualityWrite,
): void {
  const isOfOperator = [actor, lender].some((being) => being !== null && being.parent === null)
  for (const { reel, kind, payload } of facts) {
    if (kind !== 'quality:set' || !Array.isArray(payload.path)) continue
    const namespace = String(payload.path[0])
    const isEnd = namespace === SUBSCRIPTIONS && reel.startsWith('being:') && payload.value === null
    if (isEnd && origin === SUBSTRATE_REGISTRY && ENDERS.includes(name)) continue
    const writers = Object.hasOwn(WRITERS, namespace) ? WRITERS[namespace] : undefined
    if (writers !== undefined) {
      if (origin === SUBSTRATE_REGISTRY && writers.includes(name)) continue
      throw namespaceRefusal(name, namespace, `it is written by ${writers.join(', ')} alone`)
    }
    if (namespace === origin || !known.namespaces.includes(namespace)) continue
    if (SUBSTRATE_NAMES.includes(namespace))
      throw namespaceRefusal(name, namespace, 'it belongs to TreeOS itself')
    if (origin === SUBSTRATE_REGISTRY && isOfOperator) continue
    throw namespaceRefusal(
      name,
      namespace,
      `it belongs to the extension ${namespace} and the operator, not to ${stanceOf(actor.name)}`,
    )
  }
}

const namespaceRefusal = (operation: string, namespace: string, why: string): TreeosError =>
  new TreeosError('FORBIDDEN', `${operation} may not set a quality in ${namespace}: ${why}`, { namespace })
