import type { Json, ReelId } from '@treeos/core'

/** A path that a being reads and others may change: dotted, within the values of the reel's row; empty for all of them. */
export interface Watch {
  /** of a subscription, a scope of changes: `at:/hall`, `below:/hall`, and the same of beings with `beings-` before it */
  readonly reel: ReelId | string
  readonly path: string
  /** left out where a flow reads the path */
  readonly subscription?: {
    readonly name: string
    readonly equals: readonly Json[] | null
    readonly priority: number
    readonly coalesceSeconds: number
  }
}
