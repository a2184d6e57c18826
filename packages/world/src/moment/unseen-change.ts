import { type Json, readPath, type Wake } from '@treeos/core'
import { flowPaths, type Program } from '@treeos/roles'
import type { Face } from '../read/face.ts'
import type { Quotes } from './wake-quotes.ts'

/** What an open moment knows of the changes that woke it. */
export interface ChangeMoment {
  readonly wake: Pick<Wake, 'id'>
  /** of its wake, as the being may hear it */
  readonly content: Json
  readonly quotes: (Quotes & { readonly unseen: readonly string[] }) | undefined
  readonly program: Pick<Program, 'flow'>
  readonly face: Face | null
}

/**
 * Whether changes woke a being that it may not see. A wake names only the first of its changes. The others
 * are of the same place if the flow reads nothing but the place, and no subscription wakes the being.
 */
export function isOfUnseenChange({ wake, content, quotes, program, face }: ChangeMoment): boolean {
  const { change, unseen = [] } = quotes ?? {}
  if (!wake.id.startsWith('change/') || change === undefined || face === null) return false
  if (face.orientation === 'inward' || !unseen.includes(change.target)) return false
  const isOne = readPath(content, ['changes']) === undefined
  return isOne || (change.target === face.space.path && isOfPlaceAlone(face, program))
}

const isOfPlaceAlone = ({ me }: Face, { flow }: ChangeMoment['program']): boolean =>
  Object.keys(readPath(me.qualities, ['subscription']) ?? {}).length === 0 &&
  !flowPaths(flow).some((path) => path === 'world' || path.startsWith('world.'))
