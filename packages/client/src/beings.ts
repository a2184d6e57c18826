import { type Db, readClock } from '@treeos/chain'
import { type BeingName, type Breach, type Budget, stanceOf } from '@treeos/core'
import { listRowsOf } from '@treeos/reality'
import { isParked } from '@treeos/world'

/** A being as lists show it. */
export interface BeingView {
  readonly being: BeingName
  readonly stance: string
  readonly cognition: string
  readonly parent: string | null
  readonly space: string
  readonly defaultRole: string | null
  /** who drives it right now; left out when nobody does */
  readonly inhabitedBy?: string
  /** what it and its offspring may use up; left out when nothing of it is limited */
  readonly budget?: Partial<Budget>
  /** the limit that it met, while it rests until somebody approves or the day is over */
  readonly parked?: Breach
}

export async function beings(db: Db): Promise<BeingView[]> {
  const rows = (await listRowsOf(db, 'being:')).map(({ row }) => row)
  const revisions = new Map(rows.map(({ name, budget }) => [name, budget?.revision ?? 0]))
  const now = await readClock(db)
  return rows.map((being) => {
    const { revision: _count, ...budget } = being.budget ?? { revision: 0 }
    const holds = isParked(being, (name) => revisions.get(name) ?? 0, now)
    return {
      being: being.name,
      stance: stanceOf(being.name),
      cognition: being.cognition.kind,
      parent: being.parent === null ? null : stanceOf(being.parent),
      space: being.space,
      defaultRole: being.defaultRole,
      ...(being.inhabited?.by == null ? {} : { inhabitedBy: stanceOf(being.inhabited.by) }),
      ...(isLimited(budget) ? { budget } : {}),
      ...(holds && being.parked !== undefined ? { parked: being.parked } : {}),
    }
  })
}

const isLimited = ({ per: _over, ...limits }: Partial<Budget>): boolean => Object.keys(limits).length > 0
