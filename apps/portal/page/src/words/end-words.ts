import type { MomentView } from '@treeos/client'
import { t } from '../language/index.ts'

type Outcome = MomentView['outcome']

/** How a moment ended, in the same words everywhere: they end a sentence that begins with its being. */
const ENDED: Readonly<Record<Outcome, { readonly words: string; readonly color: string }>> = {
  act: { words: t('acted'), color: 'leaf' },
  see: { words: t('did nothing'), color: 'gray' },
  failure: { words: t('failed'), color: 'red' },
  skipped: { words: t('was skipped'), color: 'gray' },
  waiting: { words: t('asked for a yes'), color: 'blue' },
}

const UNKNOWN_END = { words: t('ended'), color: 'gray' }

/** The same for what an answer of the server calls so. */
export const endedAs = (outcome: string): { readonly words: string; readonly color: string } =>
  Object.hasOwn(ENDED, outcome) ? ENDED[outcome as Outcome] : UNKNOWN_END

/**
 * `failed: FORBIDDEN`.
 * @param reason the code of a failure, a short name of a skip; null where the outcome says all
 */
export const endedBy = (outcome: string, reason: string | null | undefined): string =>
  `${endedAs(outcome).words}${reason == null ? '' : `: ${reason}`}`
