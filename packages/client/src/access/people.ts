import type { BeingName } from '@treeos/core'
import { listRowsOf, type Presence } from '@treeos/reality'

/**
 * The persons that somebody may let in: itself, and those that descend from it, sorted by name. Ended ones
 * are left out. As `authorizeGrant` decides for one of them.
 */
export async function personsUnder({ db }: Pick<Presence, 'db'>, as: BeingName): Promise<BeingName[]> {
  const rows = (await listRowsOf(db, 'being:')).map(({ row }) => row)
  const parentOf = new Map(rows.map(({ name, parent }) => [name, parent]))
  const isUnder = (being: BeingName | null | undefined): boolean =>
    being != null && (being === as || isUnder(parentOf.get(being)))
  return rows
    .filter(
      ({ cognition, ended, name }) => cognition.kind === 'human' && ended === undefined && isUnder(name),
    )
    .map(({ name }) => name)
}
