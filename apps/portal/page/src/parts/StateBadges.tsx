import { Badge } from '@mantine/core'
import type { FoundBy } from '../api/deed.ts'
import type { beingQuery } from '../api/queries.ts'

export type BeingState = FoundBy<ReturnType<typeof beingQuery>>['states'][number]

/** A state in words, and its colour. */
export const STATES: Readonly<Record<BeingState, { readonly words: string; readonly color: string }>> = {
  ended: { words: 'ended', color: 'gray' },
  driven: { words: 'driven', color: 'orange' },
  paused: { words: 'paused', color: 'orange' },
  parked: { words: 'parked', color: 'red' },
  asks: { words: 'waits for a yes', color: 'blue' },
  working: { words: 'at work', color: 'leaf' },
  failed: { words: 'failed', color: 'red' },
  asleep: { words: 'asleep', color: 'gray' },
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
      {state === 'driven' && driver != null ? `driven by ${driver}` : STATES[state].words}
    </Badge>
  ))
