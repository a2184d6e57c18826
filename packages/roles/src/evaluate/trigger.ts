import { type FlowResult, needsOf, type RoleTable } from './evaluate.ts'

/** The parts of a wake that can make its moment skip. */
export interface OpeningWake {
  /** trigger of the wake; null or left out for a wake that no role may refuse */
  readonly trigger?: string | null | undefined
  /** the thread of the wake was cut */
  readonly cut?: boolean | undefined
  /** the being was ended */
  readonly ended?: boolean | undefined
}

/**
 * Skips a moment of a being that was ended, one whose thread was cut, or one whose trigger is not in `triggerOn` of its primary role. A role without `triggerOn`
 * takes every trigger, `[]` takes none.
 */
export function checkWake(
  result: FlowResult,
  { trigger, cut, ended }: OpeningWake,
  roles: RoleTable,
): FlowResult {
  if (ended === true) return { ...result, skip: 'being-ended' }
  if (cut === true) return { ...result, skip: 'thread-cut' }
  if (trigger == null || result.skip !== undefined) return result
  const triggers = needsOf(result.primary, roles)?.triggerOn
  return triggers === undefined || triggers.includes(trigger) ? result : { ...result, skip: 'not-triggered' }
}
