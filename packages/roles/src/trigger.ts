import { type FlowResult, needsOf, type RoleTable } from './evaluate.ts'

/** What a moment has to know of the wake that opens it, beside what its flow reads. */
export interface OpeningWake {
  /** what woke the being; null or left out for what no role may refuse */
  readonly trigger?: string | null | undefined
  /** its thread was cut */
  readonly cut?: boolean | undefined
}

/**
 * Leaves a moment out whose thread was cut, and one that its primary role is not opened by: a role's `triggerOn` lists
 * what is, `[]` nothing.
 */
export function checkWake(result: FlowResult, { trigger, cut }: OpeningWake, roles: RoleTable): FlowResult {
  if (cut === true) return { ...result, skip: 'thread-cut' }
  if (trigger == null || result.skip !== undefined) return result
  const triggers = needsOf(result.primary, roles)?.triggerOn
  return triggers === undefined || triggers.includes(trigger) ? result : { ...result, skip: 'not-triggered' }
}
