import type { MomentView } from '@treeos/client'

type Outcome = MomentView['outcome']

/** How a moment ended, in the same words everywhere: they end a sentence that begins with its being. */
const ENDED: Readonly<Record<Outcome, { readonly words: string; readonly color: string }>> = {
  act: { words: 'acted', color: 'leaf' },
  see: { words: 'did nothing', color: 'gray' },
  failure: { words: 'failed', color: 'red' },
  skipped: { words: 'was skipped', color: 'gray' },
  waiting: { words: 'asked for a yes', color: 'blue' },
}

const UNKNOWN_END = { words: 'ended', color: 'gray' }

/** The same for what an answer of the server calls so. */
export const endedAs = (outcome: string): { readonly words: string; readonly color: string } =>
  Object.hasOwn(ENDED, outcome) ? ENDED[outcome as Outcome] : UNKNOWN_END

/**
 * `failed: FORBIDDEN`.
 * @param reason the code of a failure, a short name of a skip; null where the outcome says all
 */
export const endedBy = (outcome: string, reason: string | null | undefined): string =>
  `${endedAs(outcome).words}${reason == null ? '' : `: ${reason}`}`
