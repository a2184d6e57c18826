import type { BeingName } from '@treeos/core'

/** For which being the world is read. */
export interface ReadingBeing {
  /** id of the reality */
  readonly reality: string
  readonly being: BeingName
  /** the wake of its moment; left out outside of moments */
  readonly wake?: { readonly id: string; readonly root: string }
  /** makes the vector by which notes are searched; left out: they are searched by words */
  readonly seek?: NoteSeeker | undefined
}

/** The vector of what is searched for. Vectors of notes by another model do not count. */
export interface SoughtVector {
  readonly model: string
  readonly vector: readonly number[]
}

/**
 * The vector of what is searched for, once notes of the being and its makers have theirs; null where the
 * model gave none.
 */
export type NoteSeeker = (beings: readonly BeingName[], about: string) => Promise<SoughtVector | null>

/** One line of the statement's answer; `what` says which columns are filled, and with what. */
export interface ReadSetItem {
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
  /**
   * a row's state, or the columns of a wake; what was reserved, as JSON; the list or parent that the key was
   * found under; the primary role of the last act
   */
  readonly text: string | null
  /** a head's seq, a count, or ms since 1970 UTC */
  readonly number: number | null
  readonly hash: Buffer | null
  readonly state_seq: number | null
}
