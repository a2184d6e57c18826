import { type BeingName, type FactDraft, PRIORITIES, SUBSTRATE, type Wake } from '@treeos/core'
import { append, type BuiltFact, buildFacts, readClock, type WakingChange } from '@treeos/store'
import { type ChangedRow, changeContent, foldRows, rowKeyOf, type WorldReader } from '@treeos/world'
import type { OpenReality } from './open-reality.ts'

/**
 * Appends facts that come from no act of a being. Signals among them wake the beings that watch them.
 * @param reader the reader that the drafts were decided from; the append checks the heads that it read
 * @param wakes that the facts send
 * @returns who was woken by a change; null when another writer moved one of these heads, and nothing was
 *   written
 */
export async function appendSystemFacts(
  { db, reality }: OpenReality,
  drafts: readonly FactDraft[],
  reader: WorldReader,
  wakes: readonly Wake[] = [],
): Promise<readonly BeingName[] | null> {
  await reader.prefetch(drafts.map((draft) => rowKeyOf(draft) ?? draft.reel))
  const at = await readClock(db)
  const by = { actor: SUBSTRATE, at }
  const folded = await foldRows(reader, drafts, by)
  const facts = buildFacts(reader.heads, drafts, {
    ...by,
    driver: null,
    moment: null,
    cause: null,
    stack: null,
  })
  const answer = await append(db, {
    reality: reality.id,
    moment: null,
    heads: reader.heads,
    facts,
    rows: folded.map((row) => ({ ...row, foldedSeq: facts[row.draft]?.ref.seq ?? 0 })),
    inbox: wakes,
    changes: folded.flatMap((row) => changeOf(row, drafts, facts)),
    closes: [],
    outcome: null,
  })
  return answer.status === 'appended' ? answer.woken : null
}

/** The change of a signal. It begins a thread of its own, since no wake caused it. */
function changeOf(
  { reel, scopes, changed, values, cause }: ChangedRow,
  drafts: readonly FactDraft[],
  facts: readonly BuiltFact[],
): WakingChange[] {
  const fact = drafts[cause]
  const hash = facts[cause]?.ref.hash
  if (fact?.kind !== 'signal:published' || hash === undefined || changed.length === 0) return []
  const wake = {
    content: changeContent(fact, null),
    priority: PRIORITIES.background,
    root: `change/${hash}`,
    hops: 0,
    cause: hash,
  }
  return [{ reel, scopes, paths: changed, values, wake }]
}
