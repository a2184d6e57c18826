import { type FactDraft, type Json, quote, TreeosError } from '@treeos/core'
import type { RoleSpec } from '@treeos/roles'
import type { CarryOut, Operation, OperationInput } from '../extend/extension.ts'
import { SUBSTRATE_REGISTRY } from '../extend/substrate.ts'
import { requireStanding } from '../gates/ask-stance-gate.ts'
import { requireNotEndedTarget } from '../gates/living.ts'
import { setProfile } from '../operations/profile.ts'
import { resolve } from '../read/target.ts'
import type { Acting } from './acting.ts'
import { defaultTarget, type Registered, requireTarget } from './find-operation.ts'

/** Operations that no being does by itself: only operations of extensions carry them out. */
const INNER: ReadonlyMap<string, Operation> = new Map([[setProfile.name, setProfile]])

/** What one operation of an extension carried out so far. */
export interface Carried {
  readonly carryOut: CarryOut
  readonly facts: FactDraft[]
  readonly specs: RoleSpec[]
  readonly closes: string[]
  /** Refuses what is carried out from now on: the operation has decided. */
  close(): void
}

/** Lets an operation carry out others of the substrate for its actor: those that the manifest of its extension names. */
export function carrying(
  by: Registered,
  { registry, reader }: Pick<Acting, 'registry' | 'reader'>,
  input: Omit<OperationInput, 'effect' | 'known' | 'carryOut' | 'carriedBy'>,
): Carried {
  const facts: FactDraft[] = []
  const specs: RoleSpec[] = []
  const closes: string[] = []
  let isOver = false
  const carryOut: CarryOut = async ({ action, target, args: given }): Promise<Json> => {
    const args = structuredClone(given) // code that goes on running could change what was checked
    const named = registry.carriesOut.get(by.origin) ?? []
    const operation =
      INNER.get(action) ?? registry.operations.get(action) ?? registry.beOperations.get(action)
    const isSubstrate = INNER.has(action) || (operation as Registered)?.origin === SUBSTRATE_REGISTRY
    if (operation === undefined || !named.includes(action) || !isSubstrate) {
      const what = `${by.name} of extension ${by.origin} may not carry out ${quote(action)}`
      throw new TreeosError('EXTENSION_BLOCKED', `${what}: its manifest names ${named.join(', ') || 'none'}`)
    }
    const verb = registry.beOperations.has(action) ? 'be' : 'do'
    const { actor } = input
    const found =
      verb === 'be'
        ? ({ kind: 'being', being: actor } as const)
        : await resolve(
            { reader, me: actor, thread: async () => null },
            target ?? defaultTarget(operation, actor),
          )
    requireTarget(operation, found)
    requireNotEndedTarget(found)
    await requireStanding(reader, actor, verb, {
      key: operation.name,
      target: found,
      fallback: operation.allow,
    })
    const decided = await operation.decide({
      ...input,
      target: found,
      args,
      effect: null,
      known: registry.known,
      carriedBy: by.origin,
      carryOut: cannotCarry,
      fulfil: cannotCarry,
    })
    if (isOver)
      throw new TreeosError('EXTENSION_BLOCKED', `${by.name} had decided before ${action} was carried out`)
    facts.push(...decided.facts)
    specs.push(...(decided.specs ?? []))
    closes.push(...(decided.closes ?? []))
    return structuredClone(decided.result)
  }
  const close = () => {
    isOver = true
  }
  return { carryOut, facts, specs, closes, close }
}

const cannotCarry = () =>
  Promise.reject(
    new TreeosError('EXTENSION_BLOCKED', 'an operation that is carried out carries out no other'),
  )
