import { matterReel, type SpacePath, stanceOf, TreeosError } from '@treeos/core'
import { requireListed } from '../gates/list-gate.ts'
import { askRuleGate } from '../gates/rule-gate.ts'
import type { SeeInput } from '../read/face.ts'
import { nameOf, type OperationTarget } from '../read/target.ts'
import type { BeingRow, MatterRow, SpaceRow } from '../rows/rows.ts'

/**
 * The space where the being is, if it may SEE it: `canSee` and every ceiling hold it, and no rule of a space forbids it.
 * @returns null when it may not: then no view shows what is there
 */
export async function seenPlace(input: SeeInput): Promise<SpaceRow | null> {
  const space = await input.world.space(input.me.space)
  return space !== null && (await maySeeSpace(input, space)) ? space : null
}

type Seer = Pick<SeeInput, 'me' | 'world' | 'surface'>

/** Whether the being may SEE a space. */
export async function maySeeSpace(input: Seer, space: SpaceRow): Promise<boolean> {
  return (await isListed(input, space.path)) && isGranted(input, { kind: 'space', space })
}

/** Whether a rule of a space forbids the being to SEE an occupant of the place that it sees. */
export const mayRegard = (input: SeeInput, being: BeingRow): Promise<boolean> =>
  isGranted(input, { kind: 'being', being })

/** Whether the being may SEE the content of a thing: it owns it, holds it, or `canSee` names it. */
export async function mayRead(input: SeeInput, matter: MatterRow): Promise<boolean> {
  if (matter.owner === input.me.name || matter.place === stanceOf(input.me.name)) return true
  return (await isListed(input, matterReel(matter.id))) && isGranted(input, { kind: 'matter', matter })
}

const isListed = ({ world: reader, me, surface }: Seer, target: SpacePath): Promise<boolean> =>
  passes(requireListed({ reader, me, surface }, 'see', target))

const isGranted = ({ world, me }: Seer, target: OperationTarget): Promise<boolean> =>
  passes(askRuleGate(world, me, 'see', { key: nameOf(target), target, fallback: ['anyone'] }))

async function passes(gate: Promise<string>): Promise<boolean> {
  try {
    await gate
    return true
  } catch (error) {
    if (error instanceof TreeosError && error.code === 'FORBIDDEN') return false
    throw error
  }
}
