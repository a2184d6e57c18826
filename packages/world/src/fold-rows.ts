import type { FactDraft, Json, JsonObject, ReelId } from '@treeos/core'
import { evolve, indexOf, type RowIndex, rowKeyOf } from './evolve.ts'
import type { WorldReader } from './reader.ts'
import type { Row, SpaceRow, WorldRow } from './rows.ts'
import { changedPaths, type Watch } from './watches.ts'

/** A row as it is after some facts, with how it is found again. */
export interface FoldedRow extends Omit<RowIndex, 'watches'> {
  readonly key: string
  readonly reel: ReelId
  readonly state: Json
  /** index of the last draft that changed it */
  readonly draft: number
  /** null when they are what they were */
  readonly watches: readonly Watch[] | null
  /** paths whose value others may watch, and that is another now */
  readonly changed: readonly string[]
}

/**
 * Folds new facts into the rows that the reader has. What a changed flow watches is read too: so it is settled whether a
 * change of that came before.
 */
export async function foldRows(
  reader: WorldReader,
  drafts: readonly FactDraft[],
  by: { readonly actor: string; readonly at: number },
): Promise<FoldedRow[]> {
  const rows = new Map<string, { before: Row | null; row: Row; reel: ReelId; draft: number }>()
  for (const [i, draft] of drafts.entries()) {
    const key = rowKeyOf(draft)
    if (key === null) continue
    const known = rows.get(key)
    const before = known === undefined ? await reader.row(key) : known.before
    const row = evolve(known?.row ?? before, { ...draft, ...by })
    if (row !== null) rows.set(key, { before, row, reel: draft.reel, draft: i })
  }
  const folded = [...rows].map(([key, { before, row, reel, draft }]): FoldedRow => {
    const { watches, ...index } = indexOf(key, row)
    const watched = before === null ? [] : indexOf(key, before).watches
    return {
      key,
      reel,
      state: row as unknown as Json,
      draft,
      ...index,
      watches: areSame(watches, watched) ? null : watches,
      changed: isNewSpace(key, before) ? [] : changedPaths(valuesOf(key, before), valuesOf(key, row)),
    }
  })
  await reader.prefetch(folded.flatMap(({ watches }) => (watches ?? []).map(({ reel }) => reel)))
  return folded
}

const areSame = (a: readonly Watch[], b: readonly Watch[]) =>
  a.length === b.length && a.every(({ reel, path }, i) => reel === b[i]?.reel && path === b[i]?.path)

/** Nobody is in a space that was not there. */
const isNewSpace = (key: string, before: Row | null) => before === null && key.startsWith('space:')

/** What others may watch of a row. */
function valuesOf(key: string, row: Row | null): JsonObject | undefined {
  if (key.startsWith('world:')) return (row as WorldRow | null)?.values ?? {}
  if (key.startsWith('space:')) return (row as SpaceRow | null)?.qualities ?? {}
  return undefined
}
