import { stanceOf } from '@treeos/core'
import { type Db, listHolds } from '@treeos/store'
import { addressOfReel } from '../moments/erasure-call.ts'

/** A legal hold that is in force. */
export interface HoldView {
  /** stance, path of a space, or `matter:ID` */
  readonly on: string
  readonly name: string
  readonly why: string
  /** stance of who set it */
  readonly by: string
  /** ISO 8601, UTC */
  readonly at: string
}

/** Legal holds in force, oldest first. */
export async function holds(db: Db): Promise<HoldView[]> {
  const found = await listHolds(db)
  return found.map(({ reel, name, why, by, at }) => ({
    on: addressOfReel(reel),
    name,
    why,
    by: stanceOf(by),
    at: new Date(at).toISOString(),
  }))
}
