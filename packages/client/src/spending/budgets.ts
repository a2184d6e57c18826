import { type BeingName, fromJson, MICROS, ROOT_SPACE, type StandardBudget, stanceOf } from '@treeos/core'
import { type OpenReality, readerOf, requireBeing } from '@treeos/reality'
import { type AccountUse, countChildren, countLastMoments, listAccounts, listBudgeted } from '@treeos/store'
import { type BeingRow, type SpaceRow, standardBudget } from '@treeos/world'

/** Model tokens, and money in the currency of the price list. */
interface Amounts {
  readonly tokens: number
  readonly money: number
}

/** What a being may use, and what it and its offspring have used. */
export interface BudgetView {
  /** null for a standard budget: what each being without one of its own may use */
  readonly being: BeingName | null
  readonly stance: string | null
  /** only of a standard budget: the beings that it is for */
  readonly for?: StandardFor
  /** true: it has no budget of its own, and the standard one bounds it; left out otherwise */
  readonly standard?: true
  readonly limits: Partial<StandardBudget>
  /**
   * within the period of the limits. `moments` counts this minute, or the last 60 s under a standard budget
   */
  readonly used: Amounts & { readonly moments: number; readonly births: number }
  /** the part of it that calls under way have reserved */
  readonly held: Amounts
  /**
   * the part of it that counts for calls whose cost never came back, which `release` gives back; left out
   * when there are none
   */
  readonly unsure?: Amounts
}

/** Cognitions whose beings have a standard budget. */
const STANDARD_FOR = ['llm', 'scripted'] as const
export type StandardFor = (typeof STANDARD_FOR)[number]

/** The standard budgets of a reality, as the operator set them or as TreeOS brings them. */
export async function standardBudgets(
  at: OpenReality,
): Promise<Record<StandardFor, Partial<StandardBudget>>> {
  const root = await readerOf(at).space(ROOT_SPACE)
  return { llm: limitsOf(standardBudget(root, 'llm')), scripted: limitsOf(standardBudget(root, 'scripted')) }
}

/** The budget of one being. @throws {TreeosError} BEING_NOT_FOUND */
export async function budget(at: OpenReality, being: BeingName): Promise<BudgetView> {
  const reader = readerOf(at)
  const row = await requireBeing(at, being)
  const [account] = await listAccounts(at.db, being)
  const lastMoments = account?.lastMoments ?? (await countLastMoments(at.db, being))
  const births = (await reader.children(being)).length
  return budgetView(row, await reader.space(ROOT_SPACE), { ...NOTHING_USED, ...account, lastMoments }, births)
}

/** The budget of one being, then those of its children by name. @throws {TreeosError} BEING_NOT_FOUND */
export async function budgetsOfChildren(at: OpenReality, being: BeingName): Promise<BudgetView[]> {
  const views = [await budget(at, being)]
  for (const child of await readerOf(at).children(being)) views.push(await budget(at, child))
  return views
}

/**
 * The standard budgets, then the budgets of all beings that have one of their own or have used a standard
 * one.
 */
export async function budgets(at: OpenReality): Promise<BudgetView[]> {
  const reader = readerOf(at)
  const root = await reader.space(ROOT_SPACE)
  const accounts = new Map((await listAccounts(at.db)).map((account) => [account.being, account]))
  const views: BudgetView[] = STANDARD_FOR.map((cognition) => ({
    being: null,
    stance: null,
    for: cognition,
    limits: limitsOf(standardBudget(root, cognition)),
    used: { tokens: 0, money: 0, moments: 0, births: 0 },
    held: { tokens: 0, money: 0 },
  }))
  const births = await countChildren(at.db)
  for (const state of await listBudgeted(at.db)) {
    const row = fromJson<BeingRow>(state)
    const account = accounts.get(row.name)
    if (row.budget === undefined && account === undefined) continue
    views.push(budgetView(row, root, { ...NOTHING_USED, ...account }, births.get(row.name) ?? 0))
  }
  return views
}

export type UsedOfBudget = Omit<AccountUse, 'being' | 'revision'>
export const NOTHING_USED: UsedOfBudget = {
  day: { tokens: 0, micros: 0 },
  total: { tokens: 0, micros: 0 },
  reserved: { tokens: 0, micros: 0 },
  unsure: { day: { tokens: 0, micros: 0 }, total: { tokens: 0, micros: 0 } },
  minuteMoments: 0,
  lastMoments: 0,
}

type Standard = Partial<StandardBudget> & { readonly revision: number }

/** The budget that bounds a being, with what was used of it. */
export function budgetView(
  being: BeingRow,
  root: SpaceRow | null,
  used: UsedOfBudget,
  births: number,
): BudgetView {
  // A limit that all beings of a person share is not a limit of one of them.
  const { tokensPerPerson: _joint, ...limits }: Standard =
    being.budget ?? standardBudget(root, being.cognition.kind)
  const isOwn = being.budget !== undefined
  const period = limits.per === 'day' ? 'day' : 'total'
  const unsure = amountsOf(used.unsure[period])
  return {
    being: being.name,
    stance: stanceOf(being.name),
    ...(isOwn ? {} : { standard: true }),
    limits: limitsOf(limits),
    used: {
      ...amountsOf(used[period]),
      moments: isOwn ? used.minuteMoments : used.lastMoments,
      births,
    },
    held: amountsOf(used.reserved),
    ...(unsure.tokens + unsure.money === 0 ? {} : { unsure }),
  }
}

const amountsOf = ({ tokens, micros }: { tokens: number; micros: number }): Amounts => ({
  tokens,
  money: micros / MICROS,
})

function limitsOf({
  revision: _count,
  ...limits
}: Partial<StandardBudget> & { revision: number }): Partial<StandardBudget> {
  return limits
}
