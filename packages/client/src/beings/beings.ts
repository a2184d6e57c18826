import { type BeingName, type Breach, type Budget, readPath, stanceOf } from '@treeos/core'
import { listRowsOf } from '@treeos/reality'
import { type Db, listParked } from '@treeos/store'
import type { BeingRow, Registry } from '@treeos/world'
import { pastsOpenTo } from '../access/past-access.ts'
import { type SeeConnection, unlessRefused, withSnapshot } from './being-snapshot.ts'

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
  const parked = new Set(await listParked(db))
  return (await rowsThat(db, passes)).map((being) => beingView(being, parked))
}

const rowsThat = async (db: Db, passes: (being: BeingRow) => boolean): Promise<BeingRow[]> =>
  (await listRowsOf(db, 'being:')).map(({ row }) => row).filter(passes)

/**
 * The beings that a being may see, page by page, sorted by name. What a budget allows is shown of those whose
 * past is open to it.
 * @param which `after`: the name of the last one of the page before
 */
export async function beingsSeen(
  at: SeeConnection,
  as: BeingName,
  which: { readonly after?: string | undefined; readonly limit: number; readonly role?: string | undefined },
): Promise<{ readonly items: BeingView[]; readonly next: string | null }> {
  const { after = '', limit, role } = which
  const passes = role === undefined ? () => true : hasRole(at.registry, role)
  const rows = (await rowsThat(at.db, passes)).filter(({ name }) => name > after)
  const parked = new Set(await listParked(at.db))
  const items: BeingView[] = []
  const isWhole = await withSnapshot(at, as, async (snapshot) => {
    const isOpen = pastsOpenTo({ ...at, db: snapshot.db }, as)
    for (const row of rows) {
      if (items.length === limit) return false
      const isShown = (await unlessRefused(snapshot.regard(row.name))) !== null || (await isOpen(row.name))
      if (!isShown) continue
      const { budget, parked: breach, ...view } = beingView(row, parked)
      const spent = {
        ...(budget === undefined ? {} : { budget }),
        ...(breach === undefined ? {} : { parked: breach }),
      }
      items.push((await isOpen(row.name)) ? { ...view, ...spent } : view)
    }
    return true
  })
  return { items, next: isWhole ? null : (items.at(-1)?.being ?? null) }
}

function beingView(being: BeingRow, parked: ReadonlySet<BeingName>): BeingView {
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
}

const isLimited = ({ per: _over, ...limits }: Partial<Budget>): boolean => Object.keys(limits).length > 0
