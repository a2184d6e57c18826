import { type FlowResult, needsOf, type RoleTable } from './evaluate.ts'

/**
 * Leaves a moment out that its primary role is not opened by: a role's `triggerOn` lists what is, `[]` nothing.
 * @param trigger what woke the being; null for what no role may refuse
 */
export function heedTrigger(result: FlowResult, trigger: string | null, roles: RoleTable): FlowResult {
  if (trigger === null || result.skip !== undefined) return result
  const triggers = needsOf(result.primary, roles)?.triggerOn
  return triggers === undefined || triggers.includes(trigger) ? result : { ...result, skip: 'not-triggered' }
}
