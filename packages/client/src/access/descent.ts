import type { BeingName } from '@treeos/core'
import type { WorldReader } from '@treeos/world'

/** Whether one being is a maker of another, at any distance. */
export const isDescendant = async (
  reader: WorldReader,
  being: BeingName,
  elder: BeingName,
): Promise<boolean> => (await reader.lineage(being)).some(({ name }) => name === elder)
