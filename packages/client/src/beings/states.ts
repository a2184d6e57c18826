import type { BeingName } from '@treeos/core'
import type { Presence } from '@treeos/reality'
import { type BeingStanding, listStandings } from '@treeos/store'
import type { Descriptor } from '@treeos/world'

/** What a being is in, the most important first. */
export const BEING_STATES = [
  'ended',
  'driven',
  'paused',
  'parked',
  'asks',
  'working',
  'failed',
  'asleep',
] as const
export type BeingState = (typeof BEING_STATES)[number]

/** What SEE shows of a being. */
interface SeenStates {
  readonly isEnded: boolean
  readonly isDriven: boolean
  readonly isPaused: boolean
  readonly isPerson: boolean
}

/**
 * The states of a being, the most important first.
 * @param standing undefined where its past is not open to the person: then only what SEE shows counts
 */
export function statesIn(
  { isEnded, isDriven, isPaused, isPerson }: SeenStates,
  standing: BeingStanding | undefined,
): BeingState[] {
  if (isEnded) return ['ended']
  const { isParked, asks, isWorking, hasWakes, hasFailed } = standing ?? {}
  const holds: Readonly<Record<Exclude<BeingState, 'ended' | 'asleep'>, boolean | undefined>> = {
    driven: isDriven,
    paused: isPaused,
    parked: isParked,
    asks,
    working: isWorking === true && !isPerson,
    failed: hasFailed,
  }
  const states = BEING_STATES.filter((state) => state !== 'ended' && state !== 'asleep' && holds[state])
  const isAsleep = standing !== undefined && !isPerson && hasWakes === false
  return states.length === 0 && isAsleep ? ['asleep'] : states
}

/** The same for one being, as SEE described it. */
export async function statesOfSeen(
  { db }: Presence,
  being: BeingName,
  { identity: { ended, paused, inhabitedBy, cognition } }: Pick<Descriptor, 'identity'>,
  isPastOpen: boolean,
): Promise<BeingState[]> {
  const [standing] = isPastOpen ? await listStandings(db, [being]) : []
  const shown = {
    isEnded: ended !== undefined,
    isDriven: inhabitedBy !== undefined,
    isPaused: paused !== undefined,
    isPerson: cognition === 'human',
  }
  return statesIn(shown, standing)
}
