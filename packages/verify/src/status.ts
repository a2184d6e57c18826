import type { TrustOptions } from './policy.ts'
import type { TimeOptions } from './times.ts'

/**
 * - `ok`: all that the bundle says it holds is there, and is held by the checkpoint
 * - `unproven`: nothing contradicts, and some of it no proof shows
 * - `broken`: something contradicts
 */
export type Status = 'ok' | 'unproven' | 'broken'

/**
 * Whose signatures must be there, and how strict the check is. Without a key or policy no signature is
 * checked.
 */
export interface CheckOptions extends TrustOptions, TimeOptions {
  /** anything that is not proven makes it `unproven` */
  readonly strict?: boolean
}

/**
 * The status of what was checked.
 * @param uncovered what no proof shows although one could.
 * @param unproven what else is not proven
 */
export function checkStatus(
  isBroken: boolean,
  {
    uncovered,
    unproven,
    strict = false,
  }: { uncovered: readonly string[]; unproven: readonly string[]; strict?: boolean | undefined },
): Status {
  if (isBroken) return 'broken'
  return uncovered.length > 0 || (strict && unproven.length > 0) ? 'unproven' : 'ok'
}
