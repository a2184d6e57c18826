import type { GateFinding } from '@treeos/world'
import { at, isArray, type Json, type JsonObject } from '../canonical.ts'
import { need } from './need.ts'

/**
 * - `refused`: it was not allowed, and nothing was done
 * - `permitted`: both gates allow it; nothing says that it was done (a look, or a call that failed for
 *   another reason)
 * - `seen-to-run`: both gates allow it, and its facts are on their reels, or its effect has an answer
 * - `asked`: both gates allow it once persons say yes, and nothing was done
 * - `not-known`: both gates allow it, the outside was asked, and no answer came
 */
export type Verdict = 'refused' | 'permitted' | 'asked' | 'seen-to-run' | 'not-known'

/** What of a moment its verdict depends on, besides its record and the gates. */
type VerdictParts = Readonly<Record<'decision' | 'effect', Json>>

/** Errors of an effect that do not say whether it happened. */
const UNKNOWN = ['TIMEOUT', 'INTERNAL', '']
/** Errors of an effect that say that the outside was asked for nothing, or did nothing. */
const NOT_RUN = ['FORBIDDEN', 'SERVICE_UNAVAILABLE']

/**
 * The error code of an effect's result, `value` for a result, and an empty text where no answer came. Null
 * without an effect.
 */
function answerOf({ effect }: VerdictParts): string | null {
  if (effect === null) return null
  const result = at(effect, 'result') ?? null
  return result === null ? '' : String(at(result, 'error', 'code') ?? 'value')
}

export function verdictOf(
  moment: VerdictParts,
  { outcome, reason, by: told }: JsonObject,
  gates: readonly GateFinding[],
): Verdict {
  const by = isArray(told) ? told : []
  // A being sees why its look was refused, so its moment ends as `see`, with the code.
  const isShown =
    outcome === 'see' &&
    at(moment.decision ?? null, 'call', 'verb') === 'see' &&
    /^[A-Z_]+$/.test(String(reason))
  const isRefused = outcome === 'failure' || isShown
  const refusing = gates.find(({ allowed }) => !allowed)
  if (refusing !== undefined) {
    need(
      isRefused && reason === 'FORBIDDEN' && by[0] === refusing.by,
      `the gates refuse it (${refusing.by}), and the record says otherwise`,
    )
    return 'refused'
  }
  if (!isRefused) {
    const derived = gates.map((gate) => gate.by)
    need(
      derived.every((rule, i) => by[i] === rule),
      `the record names other rules than those that allow it: ${derived.join('; ')}`,
    )
  }
  const answer = answerOf(moment)
  if (answer !== null && !NOT_RUN.includes(answer))
    return UNKNOWN.includes(answer) ? 'not-known' : 'seen-to-run'
  if (isRefused) return reason === 'FORBIDDEN' ? 'refused' : 'permitted'
  if (outcome === 'waiting') return 'asked'
  return outcome === 'act' ? 'seen-to-run' : 'permitted'
}
