import { type BeingName, parseStance } from '@treeos/core'
import type { Descriptor } from '@treeos/world'
import { type SeeConnection, withSnapshot } from '../beings/being-snapshot.ts'
import { type Occupant, occupantOf, regardAll } from './occupants.ts'

/** One space with a page of who is there. */
export interface SpaceView extends Omit<Descriptor, 'beings'> {
  readonly occupants: readonly Occupant[]
  /** how many beings are there in all */
  readonly population: number
  /** stance of the last one shown, to give as `after`; null: nobody comes after */
  readonly next: string | null
}

export interface PageOfSpace {
  /** only beings after this stance, by name */
  readonly after?: string | undefined
  readonly limit: number
}

/** One space with who is there, page by page. @throws {TreeosError} as `see` */
export function inspectSpace(
  at: SeeConnection,
  as: BeingName,
  path: string,
  { after, limit }: PageOfSpace,
): Promise<SpaceView> {
  return withSnapshot(at, as, async (snapshot) => {
    const { beings: all, ...seen } = await snapshot.see(path)
    const rest = after === undefined ? all : all.filter((stance) => stance > after)
    const shown = rest.slice(0, limit)
    const regarded = await regardAll(
      snapshot,
      as,
      shown.map((stance) => parseStance(stance)),
    )
    return {
      ...seen,
      occupants: regarded.map(occupantOf),
      population: all.length,
      next: rest.length > shown.length ? (shown.at(-1) ?? null) : null,
    }
  })
}
