import type { Account } from './budget.ts'
import type { Json } from './json.ts'
import type { BeingName, ReelId } from './names.ts'

/**
 * The columns by which rows are found and changes find whom they wake. Postgres keeps them beside each row.
 */
export interface RowIndex {
  /** path of the space it lies in, or the stance of the being that holds it */
  readonly place: string | null
  /** maker of a being */
  readonly parent: BeingName | null
  /** who decides for a being now */
  readonly cognition: string | null
  /** what wakes a being when it changes */
  readonly watches: readonly Watch[]
  /** null for anything but a being */
  readonly account: Account | null
  /** null for a being that was never driven, and for anything else */
  readonly lease: LeaseIndex | null
}

/**
 * A path that a being reads and others may change: dotted, within the values of the reel's row; empty for all
 * of them.
 */
export interface Watch {
  /**
   * for a subscription, a scope of changes: `at:/hall`, `below:/hall`, and the same of beings with `beings-`
   * before it
   */
  readonly reel: ReelId | string
  readonly path: string
  /** left out where a flow reads the path */
  readonly subscription?: {
    readonly name: string
    /** only a change to one of these scalars wakes; null for any */
    readonly equals: readonly Json[] | null
    readonly priority: number
    /** for so long the wake waits for more changes; 0 for not at all */
    readonly coalesceSeconds: number
  }
}

/** The last lease taken on a being: who drives it. */
export interface LeaseIndex {
  /** counts the leases on the being, from 1 */
  readonly epoch: number
  /** null when the lease is over */
  readonly driver: BeingName | null
  /** the driver's own epoch, when it is itself driven */
  readonly under: number | null
}
