import { type BeingName, type Breach, type Budget, readPath, stanceOf } from '@treeos/core'
import { listRowsOf } from '@treeos/reality'
import { type Db, listParked } from '@treeos/store'
import type { BeingRow, Registry } from '@treeos/world'

/** A being as lists show it. Stances are names with `@`. */
export interface BeingView {
  readonly being: BeingName
  readonly stance: string
  readonly cognition: string
  readonly parent: string | null
  readonly space: string
  readonly defaultRole: string | null
  /** when it was ended, ISO 8601; left out while it lives */
  readonly ended?: string
  /** when it was paused, ISO 8601; left out while it is not */
  readonly paused?: string
  /** stance of the current driver; left out when there is none */
  readonly inhabitedBy?: string
  /** limits for the being and its descendants; left out when there are none */
  readonly budget?: Partial<Budget>
  /**
   * the limit that parked it; left out while it is not parked. It stays parked until approval, or until the
   * day ends
   */
  readonly parked?: Breach
}

/** Whether a being has a role: as its default role, or as the facet `role` that a loaded extension declares. */
export const hasRole =
  ({ facets }: Pick<Registry, 'facets'>, role: string) =>
  ({ defaultRole, qualities }: BeingRow): boolean =>
    defaultRole === role ||
    facets.some(({ name, quality }) => name === 'role' && readPath(qualities, quality.split('.')) === role)

/** All beings of a reality, or those that pass, sorted by name. */
export async function beings(
  db: Db,
  passes: (being: BeingRow) => boolean = () => true,
): Promise<BeingView[]> {
  const rows = (await listRowsOf(db, 'being:')).map(({ row }) => row).filter(passes)
  const parked = new Set(await listParked(db))
  return rows.map((being) => {
    const { revision: _count, ...budget } = being.budget ?? { revision: 0 }
    return {
      being: being.name,
      stance: stanceOf(being.name),
      cognition: being.cognition.kind,
      parent: being.parent === null ? null : stanceOf(being.parent),
      space: being.space,
      defaultRole: being.defaultRole,
      ...(being.ended === undefined ? {} : { ended: new Date(being.ended).toISOString() }),
      ...(being.paused === undefined ? {} : { paused: new Date(being.paused).toISOString() }),
      ...(being.inhabited?.by == null ? {} : { inhabitedBy: stanceOf(being.inhabited.by) }),
      ...(isLimited(budget) ? { budget } : {}),
      ...(parked.has(being.name) && being.parked !== undefined ? { parked: being.parked } : {}),
    }
  })
}

const isLimited = ({ per: _over, ...limits }: Partial<Budget>): boolean => Object.keys(limits).length > 0
