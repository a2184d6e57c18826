import { type FactDraft, REGISTRY_REEL, type ReelId } from '@treeos/core'
import type { OutsideMark, Row } from './rows.ts'

/** The fact that a row holds words from outside: it follows the facts of a moment that held such words. */
export const OUTSIDE = 'origin:outside'
/** The fact that a person vouches for a row: it counts as the reality's own from then on. */
export const VOUCHED = 'origin:vouched'

/**
 * Kinds of facts that write words into a row. Others only say where something is, who may do what, or that
 * something is over.
 */
export const WORDED: ReadonlySet<string> = new Set([
  'being:born',
  'quality:set',
  'space:created',
  'signal:published',
  'role:set',
  'matter:created',
  'matter:written',
])

/** Ids of wakes that a moment sent and that no fact of its says: the kind, the moment, and whom they wake. */
export const SENT_BY = /^(?:change|awakened|notice|parked)\/([^/]+\/\d+\/\d+)(?:\/|$)/

/** Whether a fact says where the words of a row are from, and nothing else. */
export const isOrigin = ({ kind }: Pick<FactDraft, 'kind'>): boolean => kind === OUTSIDE || kind === VOUCHED

export const marked = (row: Row): Row => ({ ...row, outside: true })

export function unmarked(row: Row): Row {
  const { outside: _was, ...rest } = row as Row & OutsideMark
  return rest as Row
}

/** Whether a row holds words from outside. */
export const isMarked = (row: Row | null): boolean => (row as OutsideMark | null)?.outside === true

/** The fact about a row: on the registry it names the role. */
export const originFact = (
  kind: typeof OUTSIDE | typeof VOUCHED,
  { reel, name }: { readonly reel: ReelId; readonly name?: string },
): FactDraft => ({ reel, kind, payload: name === undefined ? {} : { name } })

/**
 * The marks that follow facts of a moment with words from outside: one for each row that they write words
 * into.
 */
export function marksFor(facts: readonly FactDraft[]): FactDraft[] {
  const marks = new Map<string, FactDraft>()
  for (const { reel, kind, payload } of facts) {
    if (!WORDED.has(kind)) continue
    const at = reel === REGISTRY_REEL ? { reel, name: String(payload.name) } : { reel }
    marks.set(`${reel} ${at.name ?? ''}`, originFact(OUTSIDE, at))
  }
  return [...marks.values()]
}
