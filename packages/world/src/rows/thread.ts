import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import type { BeingRow } from './rows.ts'

export type ThreadState = 'pending' | 'live' | 'severed' | 'complete'

/** A thread: one wake and all the wakes that came of it. What was said in it is told to those it was said to only. */
export interface Thread {
  /** the correlation that it began with */
  readonly thread: string
  /** `pending`: nothing of it was lived yet; `live`: some of it waits or is being lived; `severed`: it was cut */
  readonly state: ThreadState
  /** whoever was woken in it, or woke another: sorted */
  readonly participants: readonly BeingName[]
  readonly wakes: number
  /** of them, not over yet */
  readonly open: number
  /** sealed acts */
  readonly acts: number
  /** most summons and wakes that followed one another */
  readonly depth: number
  /** ms since 1970 UTC, of its first wake and of its last */
  readonly began: number
  readonly moved: number
  /** open summons that people were asked, who live no moment before they answer */
  readonly unanswered: readonly string[]
}

/** @throws {TreeosError} FORBIDDEN for anyone who has no part in it, the first operator apart */
export function requirePart(actor: BeingRow, { thread, participants }: Thread): void {
  if (actor.parent === null || participants.includes(actor.name)) return
  throw new TreeosError(
    'FORBIDDEN',
    `${stanceOf(actor.name)} has no part in thread ${thread}: only who has, and the operator, sees or cuts it`,
  )
}
