import type { FactDraft, Json, ReelId } from '@treeos/core'
import { evolve, indexOf, rowKeyOf } from './evolve.ts'
import type { WorldReader } from './reader.ts'
import type { Row } from './rows.ts'

/** A row as it is after some facts, with how it is found again. */
export interface FoldedRow {
  readonly key: string
  readonly reel: ReelId
  readonly state: Json
  /** seq of the last fact that changed it */
  readonly foldedSeq: number
  readonly place: string | null
  readonly parent: string | null
  readonly cognition: string | null
}

/** Folds new facts into the rows that the reader has. @param seqs where each draft stands on its reel, in order */
export async function foldRows(
  reader: WorldReader,
  drafts: readonly FactDraft[],
  seqs: readonly number[],
  by: { readonly actor: string; readonly at: number },
): Promise<FoldedRow[]> {
  const rows = new Map<string, { row: Row; reel: ReelId; seq: number }>()
  for (const [i, draft] of drafts.entries()) {
    const key = rowKeyOf(draft)
    if (key === null) continue
    const before = rows.get(key)?.row ?? (await reader.row(key))
    const row = evolve(before, { ...draft, ...by })
    if (row !== null) rows.set(key, { row, reel: draft.reel, seq: seqs[i] ?? 0 })
  }
  return [...rows].map(([key, { row, reel, seq }]) => ({
    key,
    reel,
    state: row as unknown as Json,
    foldedSeq: seq,
    ...indexOf(key, row),
  }))
}
