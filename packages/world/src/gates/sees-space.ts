import type { SpacePath } from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import { canonicalTarget, coversEntry, type Surface } from '../rows/lists.ts'
import type { BeingRow } from '../rows/rows.ts'
import { ceilingsOf, listGate } from './list-gate.ts'
import type { Reach } from './reach.ts'

/**
 * Whether a being can see a space: what the surface of its moment holds, or what its reach holds, which includes that of the
 * maker that drives it.
 */
export async function seesSpace(
  reader: WorldReader,
  { me, surface, reach }: { me: BeingRow; surface: Surface; reach: () => Promise<Reach> },
  space: SpacePath,
): Promise<boolean> {
  const target = canonicalTarget('canSee', space, me.home)
  if (listGate(surface, await ceilingsOf(reader, me), 'canSee', target).allowed) return true
  return coversEntry('canSee', (await reach()).canSee, space, me.home)
}
