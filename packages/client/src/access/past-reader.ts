import type { BeingName, Json, JsonObject, SpacePath } from '@treeos/core'
import { type OpenReality, readerOf } from '@treeos/reality'
import { type ContextChange, type HiddenPlace, isOfPlace } from '@treeos/roles'
import type { OpenRecord } from '@treeos/store'
import { type Face, mayLookInto, type WorldReader, whyPlaceHidden } from '@treeos/world'

/** Who reads a past. */
export interface PastReader {
  readonly world: WorldReader
  /** null: whoever may read the database, from whom nothing can be hidden */
  readonly as: BeingName | null
}

/** @param as null: whoever may read the database */
export const pastReader = (at: OpenReality, as: BeingName | null): PastReader => ({ world: readerOf(at), as })

/** Whether a reader may see what was in a place. */
export async function maySeePlace({ world, as }: PastReader, path: SpacePath): Promise<boolean> {
  const me = as === null ? null : await world.being(as)
  return as === null || (me !== null && (await mayLookInto(world, me, path)))
}

interface PlaceOfMoment {
  readonly record: Pick<OpenRecord, 'hidden'>
  readonly face: Pick<Face, 'space'> | null
}

/**
 * From whom the qualities of the place are hidden that the flow of a moment reads; null: from nobody. A
 * moment without a face does not say where it was, so its place is nobody's to see.
 */
export async function hiddenPlace(
  { record, face }: PlaceOfMoment,
  reader: PastReader | null,
): Promise<HiddenPlace | null> {
  const isOpen =
    reader === null || reader.as === null || (face !== null && (await maySeePlace(reader, face.space.path)))
  if (!isOpen) return 'reader'
  return record.hidden === true ? 'being' : null
}

/** What hides its place from a being now; null where nothing does any more. */
export async function whyHidden(
  being: BeingName,
  { face }: PlaceOfMoment,
  { world }: PastReader,
): Promise<string | null> {
  const me = await world.being(being)
  return me === null || face === null ? null : whyPlaceHidden(world, me, face.space.path)
}

/** A context without the qualities of its place. */
export function withoutPlace({ space, ...context }: JsonObject): JsonObject {
  if (space === undefined) return context
  const { quality: _hidden, ...known } = space as JsonObject
  return Object.keys(known).length === 0 ? context : { ...context, space: known }
}

/** A change of a context; where it is of a hidden place, without the value that was there. */
export type ShownChange = {
  readonly path: string
  readonly from?: Json
  readonly to?: Json
  /** from whom the value that was there is hidden; left out where it is not */
  readonly hidden?: HiddenPlace
}

export function shownChange(change: ContextChange, hidden: HiddenPlace | null): ShownChange {
  if (hidden === null || !isOfPlace(change.path)) return change
  const { from: _hidden, ...shown } = change
  return { ...shown, hidden }
}
