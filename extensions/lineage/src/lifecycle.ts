import { TreeosError } from '@treeos/sdk'

/**
 * How far a child has come. The source has five states before `starting`, for the server, the runtime and the wallet of a child. A child
 * of this reality has none of these, so it begins here.
 */
export type ChildState = 'starting' | 'healthy' | 'unhealthy' | 'stopped' | 'failed' | 'cleaned_up'

/** One that only answers or beats is healthy and does not write it, so a starting child goes wherever a healthy one may. */
const MOVES: Readonly<Record<ChildState, readonly ChildState[]>> = {
  starting: ['healthy', 'unhealthy', 'stopped', 'failed'],
  healthy: ['unhealthy', 'stopped'],
  unhealthy: ['healthy', 'stopped', 'failed'],
  stopped: ['starting', 'cleaned_up'],
  failed: ['starting', 'cleaned_up'],
  cleaned_up: [],
}
export const CHILD_STATES = Object.keys(MOVES) as ChildState[]

/** @throws {TreeosError} RESOURCE_CONFLICT naming the moves that there are */
export function requireMove(child: string, from: ChildState, to: ChildState): void {
  if (MOVES[from].includes(to)) return
  const there = MOVES[from].length === 0 ? 'nothing' : MOVES[from].join(' or ')
  throw new TreeosError('RESOURCE_CONFLICT', `@${child} is ${from}, so it becomes ${there}, and not ${to}`)
}
