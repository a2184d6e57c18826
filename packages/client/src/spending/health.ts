import { type BeingName, type Budget, stanceOf } from '@treeos/core'
import { authorizeActingAs } from '@treeos/reality'
import {
  countEnds,
  countParked,
  type EndCount,
  listAccounts,
  measureInboxes,
  measurePeoplesInboxes,
  pageUnclaimed,
  type WaitingWakes,
} from '@treeos/store'
import type { SeeConnection } from '../beings/being-snapshot.ts'
import { type BudgetView, budget, type StandardFor, standardBudgets } from './budgets.ts'

/** How a reality does, from its record. */
export interface HealthView {
  /** wakes that no moment has taken, except those that wait for a person */
  readonly wakes: WaitingWakes
  /** beings whose oldest such wake waits for more than a few seconds, the longest waiting first */
  readonly late: readonly { readonly stance: string; readonly seconds: number }[]
  readonly inbox: {
    readonly waiting: number
    readonly notices: number
    readonly oldestSeconds: number
  }
  /** beings that a budget has parked */
  readonly parked: number
  /** how the moments of the last hour ended */
  readonly lastHour: { readonly counts: readonly EndCount[]; readonly isAll: boolean }
  readonly standard: Readonly<Record<StandardFor, Partial<Budget>>>
  readonly budgets: readonly BudgetView[]
}

const HOUR_SECONDS = 3600
const MOMENTS_MAX = 20_000
const LATE_SECONDS = 5
const LATE_MAX = 20
const BUDGETS_MAX = 100

/** What the first operator should know of the reality. It checks no right: the caller does. */
export async function health(at: SeeConnection): Promise<HealthView> {
  const { db } = at
  const late = await pageUnclaimed(db, LATE_SECONDS, LATE_MAX, 0)
  return {
    wakes: await measureInboxes(db),
    late: late.map(({ being, waited }) => ({ stance: stanceOf(being), seconds: waited })),
    inbox: await measurePeoplesInboxes(db),
    parked: await countParked(db),
    lastHour: await countEnds(db, { seconds: HOUR_SECONDS, most: MOMENTS_MAX }),
    standard: await standardBudgets(at),
    budgets: await budgetsInUse(at),
  }
}

/** What a person has used, and its limits: its own, which bound its offspring too. */
export async function ownUse(at: SeeConnection, as: BeingName): Promise<BudgetView> {
  await authorizeActingAs(at, as)
  return budget(at, as)
}

/** The budgets of which most was used, those with a limit of their own first. */
async function budgetsInUse(at: SeeConnection): Promise<BudgetView[]> {
  const accounts = await listAccounts(at.db)
  const most = accounts
    .toSorted(
      (a, b) =>
        Number(b.revision > 0) - Number(a.revision > 0) ||
        b.total.micros - a.total.micros ||
        b.total.tokens - a.total.tokens,
    )
    .slice(0, BUDGETS_MAX)
  const views: BudgetView[] = []
  for (const { being } of most) views.push(await budget(at, being))
  return views
}
