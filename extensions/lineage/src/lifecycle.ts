import { TreeosError } from '@treeos/sdk'

/** How far a child has come. A child of this reality passes the first five in the act that spawns it. */
export type ChildState =
  | 'requested'
  | 'sandbox_created'
  | 'runtime_ready'
  | 'wallet_verified'
  | 'funded'
  | 'starting'
  | 'healthy'
  | 'unhealthy'
  | 'stopped'
  | 'failed'
  | 'cleaned_up'

const MOVES: Readonly<Record<ChildState, readonly ChildState[]>> = {
  requested: ['sandbox_created', 'failed'],
  sandbox_created: ['runtime_ready', 'failed'],
  runtime_ready: ['wallet_verified', 'failed'],
  wallet_verified: ['funded', 'failed'],
  funded: ['starting', 'failed'],
  starting: ['healthy', 'failed'],
  healthy: ['unhealthy', 'stopped'],
  unhealthy: ['healthy', 'stopped', 'failed'],
  stopped: ['starting', 'cleaned_up'],
  failed: ['starting', 'cleaned_up'],
  cleaned_up: [],
}
export const CHILD_STATES = Object.keys(MOVES) as ChildState[]

/** The states that a spawn passes, in order. */
export const SPAWN_STATES: readonly ChildState[] = [
  'requested',
  'sandbox_created',
  'runtime_ready',
  'wallet_verified',
  'funded',
  'starting',
]

/** @throws {TreeosError} RESOURCE_CONFLICT naming the moves that there are */
export function requireMove(child: string, from: ChildState, to: ChildState): void {
  if (MOVES[from].includes(to)) return
  const there = MOVES[from].length === 0 ? 'nothing' : MOVES[from].join(' or ')
  throw new TreeosError('RESOURCE_CONFLICT', `@${child} is ${from}, so it becomes ${there}, and not ${to}`)
}
