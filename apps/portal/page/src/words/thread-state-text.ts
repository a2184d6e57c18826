import { t } from '../language/index.ts'

const STATES: Readonly<Record<string, string>> = {
  live: t('live'),
  pending: t('pending'),
  severed: t('severed'),
  complete: t('complete'),
}

/** How a thread stands, in one word. */
export const threadStateText = (state: string): string => STATES[state] ?? state
