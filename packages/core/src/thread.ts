import type { BeingName } from './names.ts'

export type ThreadState = 'pending' | 'live' | 'severed' | 'complete'

/**
 * A thread: one wake and all the wakes that came of it. Only its participants may read what was said in it.
 */
export interface Thread {
  /** the correlation that it began with */
  readonly thread: string
  /**
   * `pending`: no moment of it was lived yet; `live`: some wakes wait or are being lived; `severed`: it was
   * cut
   */
  readonly state: ThreadState
  /**
   * The being that began it, persons that spoke in it, and whoever one of them spoke to; sorted. A being that
   * a change woke has no part in it, whatever it says.
   */
  readonly participants: readonly BeingName[]
  readonly wakes: number
  /** of them, not over yet; notices do not count */
  readonly open: number
  /** sealed acts */
  readonly acts: number
  /** the longest chain of summons and wakes */
  readonly depth: number
  /** ms since 1970 UTC, of its first wake and of its last */
  readonly began: number
  readonly moved: number
  /** ids of the open summons that people were asked; people live no moment before they answer */
  readonly unanswered: readonly string[]
  /** ids of the open notices that tell people of it; they do not keep it open */
  readonly notices: readonly string[]
}
