import { asJson, type FactDraft, ROOT_SPACE, type StandardBudget, spaceReel } from '@treeos/core'
import { STANDARD_BUDGET, standardBudget } from '@treeos/world'
import { type OpenReality, readerOf } from './open-reality.ts'
import { appendSystemFacts } from './system-facts.ts'

/**
 * Sets standard budgets of a reality as it is made, without an act of its operator: for programs that measure
 * beings or drive them as fast as they can.
 */
export async function setStandardBudgets(
  at: OpenReality,
  budgets: Readonly<Partial<Record<'llm' | 'scripted', Partial<StandardBudget>>>>,
): Promise<void> {
  const reader = readerOf(at)
  const root = await reader.space(ROOT_SPACE)
  const drafts = Object.entries(budgets).map(([cognition, budget]): FactDraft => {
    const { revision } = standardBudget(root, cognition as keyof typeof budgets)
    const value = asJson({ per: 'day', ...budget, revision: revision + 1 })
    const payload = { path: [STANDARD_BUDGET, cognition], value, merge: false }
    return { reel: spaceReel(ROOT_SPACE), kind: 'quality:set', payload }
  })
  if (!(await appendSystemFacts(at, drafts, reader)))
    throw new Error('another writer moved the root space while its standard budgets were set')
}
