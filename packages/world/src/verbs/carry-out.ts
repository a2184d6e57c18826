import { type FactDraft, type Json, quote, TreeosError } from '@treeos/core'
import type { RoleSpec } from '@treeos/roles'
import type { CarryOut } from '../extend/extension.ts'
import { requireOwnQualities } from '../extend/owned-qualities.ts'
import { SUBSTRATE_REGISTRY } from '../extend/substrate.ts'
import type { ActInputs, GivenInput } from './act-inputs.ts'
import { type RegisteredOperation, resolveOperation } from './resolve-operation.ts'

/** What one operation of an extension carried out so far. */
export interface CarriedOperation {
  readonly carryOut: CarryOut
  readonly facts: FactDraft[]
  readonly specs: RoleSpec[]
  readonly closes: string[]
  /** Refuses what is carried out from now on: the operation has decided. */
  close(): void
}

/**
 * Lets an operation carry out others of the substrate for its actor: those that the manifest of its extension
 * names.
 */
export function carrying(
  by: RegisteredOperation,
  { registry, reader, fromOutside }: Pick<ActInputs, 'registry' | 'reader' | 'fromOutside'>,
  input: GivenInput,
): CarriedOperation {
  const carried = { facts: [] as FactDraft[], specs: [] as RoleSpec[], closes: [] as string[] }
  let isOver = false
  const carryOut: CarryOut = async ({ operation: name, target = null, args: given }): Promise<Json> => {
    const args = structuredClone(given) // code that goes on running could change what was checked
    const named = registry.carriesOut.get(by.origin) ?? []
    const verb = registry.beOperations.has(name) ? 'be' : 'do'
    const origin = (verb === 'be' ? registry.beOperations : registry.operations).get(name)?.origin
    if (!named.includes(name) || origin !== SUBSTRATE_REGISTRY) {
      const what = `${by.name} of extension ${by.origin} may not carry out ${quote(name)}`
      throw new TreeosError('EXTENSION_BLOCKED', `${what}: its manifest names ${named.join(', ') || 'none'}`)
    }
    const found = await resolveOperation(
      { reader, registry, fromOutside, thread: async () => null },
      { verb, operation: name, target, args },
      input.actor,
    )
    if (found.operation.mediates === true) return cannotCarry()
    const decided = await found.operation.decide({
      ...input,
      target: found.target,
      args,
      effect: null,
      known: registry.known,
      carriedBy: by.origin,
      carryOut: cannotCarry,
    })
    requireOwnQualities(found.operation, decided.facts, { ...input, known: registry.known })
    if (isOver)
      throw new TreeosError('EXTENSION_BLOCKED', `${by.name} had decided before ${name} was carried out`)
    carried.facts.push(...decided.facts)
    carried.specs.push(...(decided.specs ?? []))
    carried.closes.push(...(decided.closes ?? []))
    return structuredClone(decided.result)
  }
  const close = () => {
    isOver = true
  }
  return { ...carried, carryOut, close }
}

const cannotCarry = () =>
  Promise.reject(
    new TreeosError('EXTENSION_BLOCKED', 'an operation that is carried out carries out no other'),
  )
