import { type AsideSource, asJson, type Json, NO_ASIDE, reelOfKey } from '@treeos/core'
import { indexOf } from '../rows/row-index.ts'
import type { Row } from '../rows/rows.ts'
import type { RowSource } from './reader.ts'

/**
 * Rows held in memory, without reels: a world for tests.
 * @param rows by key
 * @param keptByDigest specs and other content, by digest
 * @param aside what lies beside rows; nothing when left out
 */
export const memoryRows = (
  rows: ReadonlyMap<string, Row>,
  keptByDigest: ReadonlyMap<string, Json> = new Map(),
  aside: Partial<AsideSource> = {},
): RowSource => {
  const keysWhere = (holds: (key: string, row: Row) => boolean) =>
    [...rows].flatMap(([key, row]) => (holds(key, row) ? [key] : [])).sort()
  const inPlace = (place: string, kind: string) =>
    keysWhere((key, row) => key.startsWith(kind) && indexOf(key, row).place === place)
  return {
    rows: async (keys) =>
      keys.map((key) => ({
        key,
        state: asJson(rows.get(key) ?? null),
        head: { reel: reelOfKey(key), seq: 0, hash: '', stateSeq: 0 },
      })),
    keysInPlace: async (place, kind, most = null) => inPlace(place, kind).slice(0, most ?? undefined),
    countInPlace: async (place, kind) => inPlace(place, kind).length,
    keysOfChildren: async (being) => keysWhere((key, row) => indexOf(key, row).parent === being),
    keysOfBeings: async () => keysWhere((key) => key.startsWith('being:')),
    blob: async (digest) => keptByDigest.get(digest) ?? null,
    aside: { ...NO_ASIDE, ...aside },
  }
}
