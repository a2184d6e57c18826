import { type FactDraft, ROOT_SPACE, type SpacePath, spaceAncestry } from '@treeos/core'
import { type Reach, reachOf } from '../gates/reach.ts'
import { watchesScope } from '../gates/sight.ts'
import type { WorldReader } from '../read/reader.ts'
import { evolve } from '../rows/evolve.ts'
import { type BeingRow, beingKey, type Row, type SpaceRow, spaceKey } from '../rows/rows.ts'
import { EVERYWHERE, SUBSCRIPTIONS, subscriptionsOf } from '../rows/subscriptions.ts'
import { qualitySet } from './schedules.ts'

/**
 * Of one act, which has room for few facts. The same act once more ends the next ones. A being whose
 * subscription is not ended here hears that something changed, and not what.
 */
export const ENDED_MAX = 32

/**
 * Facts that end the subscriptions of a being to what it may see no more: it would go on hearing of it.
 * @param reach that it has from now on
 */
export async function endedSubscriptions(
  world: WorldReader,
  being: BeingRow,
  reach: Pick<Reach, 'canSee'>,
): Promise<FactDraft[]> {
  const ended: FactDraft[] = []
  for (const { name, field, beings, ...where } of subscriptionsOf(being)) {
    if (field.startsWith('world.')) continue
    const seen = await watchesScope(world, being, where, reach)
    if (!seen.spaces || (beings && !seen.beings)) ended.push(qualitySet(being, [SUBSCRIPTIONS, name], null))
  }
  return ended
}

/**
 * Facts that end the subscriptions of all beings which the rules of a space keep from it, or from a space
 * inside it. It reads every being.
 * @param after the space as the act leaves it
 */
export const endedByRules = (world: WorldReader, after: SpaceRow): Promise<FactDraft[]> =>
  endedIf(world, { key: spaceKey(after.path), row: after }, async (being) =>
    subscriptionsOf(being).some(({ scope }) => spaceAncestry(scopePlace(scope)).includes(after.path)),
  )

const scopePlace = (scope: typeof EVERYWHERE | SpacePath): SpacePath =>
  scope === EVERYWHERE ? ROOT_SPACE : scope

/**
 * The same of the offspring of a being that has another ceiling from now on.
 * @param after the being as the act leaves it
 */
export const endedByCeiling = (world: WorldReader, after: BeingRow): Promise<FactDraft[]> =>
  endedIf(
    world,
    { key: beingKey(after.name), row: after },
    async (being) =>
      subscriptionsOf(being).length > 0 &&
      (await world.lineage(being.name)).some(({ name }) => name === after.name),
  )

async function endedIf(
  world: WorldReader,
  { key, row }: { readonly key: string; readonly row: Row },
  concerns: (being: BeingRow) => Promise<boolean>,
): Promise<FactDraft[]> {
  const then = world.asIf(key, row)
  const ended: FactDraft[] = []
  for (const being of await world.everyBeing())
    if (being.ended === undefined && (await concerns(being)))
      ended.push(...(await endedSubscriptions(then, being, await reachOf(then, being))))
  return ended.slice(0, ENDED_MAX)
}

/** A space as a fact of the act leaves it. */
export const rowAfter = (space: SpaceRow, fact: FactDraft): SpaceRow =>
  evolve(space, { ...fact, actor: '', at: 0 }) as SpaceRow
