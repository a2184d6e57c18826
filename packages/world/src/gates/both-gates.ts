import { ROOT_SPACE, TreeosError, type Verb } from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import type { OperationTarget } from '../read/target.ts'
import { LIST_OF_VERB, type Surface } from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import { ceilingsOf, listGate } from './list-gate.ts'
import { requireAllowed, type StanceQuestion, stanceGate } from './stance.ts'

export interface Gated {
  readonly key: string
  readonly target: OperationTarget
  readonly fallback: StanceQuestion['fallback']
}

export async function bothGates(
  at: { readonly reader: WorldReader; readonly me: BeingRow; readonly surface: Surface },
  verb: Verb,
  listed: string,
  question: Gated,
): Promise<[string, string]> {
  const list = requireListed(at.surface, await ceilingsOf(at.reader, at.me), verb, listed)
  return [list, await requireStanding(at.reader, at.me, verb, question)]
}

export async function requireStanding(
  reader: WorldReader,
  actor: BeingRow,
  verb: Verb,
  { key, target, fallback }: Gated,
): Promise<string> {
  const stance = await stanceGate(reader, {
    actor,
    verb,
    key,
    target: await standingPlace(reader, target),
    fallback,
  })
  return requireAllowed(stance, actor)
}

/** Where a target is, and whose: the spaces on the way up from there have the say of it. */
async function standingPlace(
  reader: WorldReader,
  target: OperationTarget,
): Promise<StanceQuestion['target']> {
  switch (target.kind) {
    case 'being':
      return { being: target.being, space: target.being.space }
    case 'space':
      return { being: null, space: target.space.path }
    case 'thread':
      return { being: null, space: ROOT_SPACE }
    case 'matter': {
      const { owner, place } = target.matter
      const holder = place?.startsWith('@') ? await reader.being(place.slice(1)) : null
      return { being: null, space: holder?.space ?? place ?? ROOT_SPACE, owner }
    }
  }
}

export function requireListed(
  surface: Surface,
  ceilings: Parameters<typeof listGate>[1],
  verb: Verb,
  target: string,
): string {
  const decision = listGate(surface, ceilings, LIST_OF_VERB[verb], target)
  if (!decision.allowed) {
    const { by, why } = decision
    throw new TreeosError('FORBIDDEN', why, { answer: 'not-granted', by, verb, target })
  }
  return decision.by
}
