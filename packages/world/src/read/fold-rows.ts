import {
  type Account,
  asJson,
  canonicalJson,
  type FactDraft,
  isJsonObject,
  type Json,
  type JsonObject,
  type LeaseIndex,
  type ReelId,
  type RowIndex,
  readPath,
  spaceAncestry,
  type Watch,
} from '@treeos/core'
import { isSameAccount, NO_ACCOUNT } from '../rows/budgets.ts'
import { evolve, rowKeyOf } from '../rows/evolve.ts'
import { isOrigin } from '../rows/origin.ts'
import { withoutShadow } from '../rows/qualities.ts'
import { indexOf } from '../rows/row-index.ts'
import { type Row, type SpaceRow, spaceKey, withKind } from '../rows/rows.ts'
import { comparablesAt, scopesOf } from '../rows/subscriptions.ts'
import { changedPaths } from '../rows/watches.ts'
import type { WorldReader } from './reader.ts'

/** A row after some facts, with its index columns. */
export interface ChangedRow extends Omit<RowIndex, 'watches' | 'account' | 'lease'> {
  readonly key: string
  readonly reel: ReelId
  readonly state: Json
  /** index of the last fact that changed it */
  readonly draft: number
  /** the same without marks of origin, which change no value */
  readonly cause: number
  /** null when unchanged */
  readonly watches: readonly Watch[] | null
  /** null when unchanged */
  readonly account: Account | null
  /** null when unchanged */
  readonly lease: LeaseIndex | null
  /** paths that others may watch and whose value changed */
  readonly changed: readonly string[]
  /** scopes that the change lies in, in addition to its reel */
  readonly scopes: readonly string[]
  /** new values at those paths, where a subscription can compare them */
  readonly values: JsonObject
}

/**
 * Folds new facts into the rows that the reader has. Reels that a changed flow watches are read too: append
 * then checks that none of them moved meanwhile.
 */
export async function foldRows(
  reader: WorldReader,
  drafts: readonly FactDraft[],
  by: { readonly actor: string; readonly at: number },
): Promise<ChangedRow[]> {
  const rows = new Map<string, { before: Row | null; row: Row; reel: ReelId; draft: number; cause: number }>()
  for (const [i, draft] of drafts.entries()) {
    const key = rowKeyOf(draft)
    if (key === null) continue
    const known = rows.get(key)
    const before = known === undefined ? await reader.row(key) : known.before
    const row = evolve(known?.row ?? before, { ...draft, ...by })
    const cause = isOrigin(draft) ? (known?.cause ?? i) : i
    if (row !== null) rows.set(key, { before, row, reel: draft.reel, draft: i, cause })
  }
  const folded = [...rows].map(([key, { before, row, reel, draft, cause }]): ChangedRow => {
    const { watches, account, lease, ...index } = indexOf(key, row)
    const was = before === null ? null : indexOf(key, before)
    const changed = changesOf(key, before, row)
    return {
      key,
      reel,
      state: asJson(row),
      draft,
      cause,
      ...index,
      watches: areSame(watches, was?.watches ?? []) ? null : watches,
      account: account === null || isSameAccount(account, was?.account ?? NO_ACCOUNT) ? null : account,
      lease: lease !== null && isSameLease(lease, was?.lease ?? null) ? null : lease,
      changed,
      scopes: changed.length === 0 ? [] : scopesOf(key, row),
      values: comparablesAt(valuesOf(key, row) ?? {}, changed),
    }
  })
  for (const [i, found] of folded.entries())
    if (await isGuarded(reader, found, rows)) folded[i] = { ...found, values: {} }
  const watched = folded.flatMap(({ watches }) => watches ?? [])
  await reader.prefetch(watched.map(({ reel }) => reel).filter(isReel))
  return folded
}

/**
 * Whether a rule of a space says who may SEE a space that changed. Its values are not compared then with
 * those that subscriptions wait for: who may not see it would learn by being woken that it guessed right.
 */
async function isGuarded(
  reader: WorldReader,
  { key, changed }: ChangedRow,
  rows: ReadonlyMap<string, { readonly row: Row }>,
): Promise<boolean> {
  if (!key.startsWith('space:') || changed.length === 0) return false
  const around = spaceAncestry(key.slice('space:'.length))
  await reader.prefetch(around.map(spaceKey))
  for (const path of around) {
    const row = rows.get(spaceKey(path))?.row ?? (await reader.space(path))
    const see = readPath((row as SpaceRow | null)?.qualities, ['permissions', 'see'])
    if (isJsonObject(see) && Object.keys(see).length > 0) return true
  }
  return false
}

const areSame = (a: readonly Watch[], b: readonly Watch[]) => canonicalJson(a) === canonicalJson(b)

const isSameLease = (a: LeaseIndex, b: LeaseIndex | null) => a.epoch === b?.epoch && a.driver === b.driver

/**
 * Whether a watch is of a reel. A scope has no head to check: a subscription begins with the changes after
 * it.
 */
const isReel = (reel: string) => /^(world|space):/.test(reel)

/**
 * Dotted paths that changed. A new row changes none: nobody watched it. A new namespace of signals changes
 * all of its.
 */
function changesOf(key: string, before: Row | null, row: Row): string[] {
  if (before !== null) return changedPaths(valuesOf(key, before), valuesOf(key, row))
  return key.startsWith('world:') ? changedPaths({}, valuesOf(key, row)) : []
}

/** What others may watch of a row; nothing of a role, a thread or matter. */
function valuesOf(key: string, row: Row): JsonObject | undefined {
  const found = withKind(key, row)
  if (found.kind === 'world') return found.row.values
  if (found.kind === 'space') return withoutShadow(found.row.qualities)
  if (found.kind !== 'being') return undefined
  const { roleFlow: _own, ...qualities } = withoutShadow(found.row.qualities)
  return qualities
}
