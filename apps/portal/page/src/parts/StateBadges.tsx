import { Badge } from '@mantine/core'
import type { FoundBy } from '../api/deed.ts'
import type { beingQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'

export type BeingState = FoundBy<ReturnType<typeof beingQuery>>['states'][number]

/** A state in words, and its colour. */
export const STATES: Readonly<Record<BeingState, { readonly words: string; readonly color: string }>> = {
  ended: { words: t('ended', { context: 'state' }), color: 'gray' },
  driven: { words: t('driven'), color: 'orange' },
  paused: { words: t('paused'), color: 'orange' },
  parked: { words: t('parked'), color: 'red' },
  asks: { words: t('waits for a yes'), color: 'blue' },
  working: { words: t('at work'), color: 'leaf' },
  failed: { words: t('failed', { context: 'state' }), color: 'red' },
  asleep: { words: t('asleep'), color: 'gray' },
}

interface StateBadgesProps {
  readonly states: readonly BeingState[]
  /** who drives it */
  readonly driver?: string | null | undefined
}

/** What a being is in: the same words on every page. */
export const StateBadges = ({ states, driver }: StateBadgesProps) =>
  states.map((state) => (
    <Badge key={state} color={STATES[state].color} variant={state === 'asleep' ? 'outline' : 'light'}>
      {state === 'driven' && driver != null ? t('driven by {{driver}}', { driver }) : STATES[state].words}
    </Badge>
  ))
