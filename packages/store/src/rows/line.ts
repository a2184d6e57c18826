import type { BeingName } from '@treeos/core'

/** For which being the world is read. */
export interface Viewer {
  /** id of the reality */
  readonly reality: string
  readonly being: BeingName
  /** the wake of its moment; left out outside of moments */
  readonly wake?: { readonly id: string; readonly root: string }
}

/** One line of the statement's answer; `what` says which columns are filled, and with what. */
export interface Line {
  readonly what:
    | 'row'
    | 'list'
    | 'count'
    | 'child'
    | 'now'
    | 'sealed'
    | 'said'
    | 'did'
    | 'wore'
    | 'waiting'
    | 'thread'
    | 'wake'
    | 'reserved'
  readonly key: string
  /** a row's state, or the columns of a wake; what was reserved, as JSON; the list or parent that the key was found under; the primary role of the last act */
  readonly text: string | null
  /** a head's seq, a count, or ms since 1970 UTC */
  readonly number: number | null
  readonly hash: Buffer | null
  readonly state_seq: number | null
}
