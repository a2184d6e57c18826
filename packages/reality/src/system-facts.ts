import { type FactDraft, SUBSTRATE, type Wake } from '@treeos/core'
import { append, buildFacts, readClock } from '@treeos/store'
import { foldRows, rowKeyOf, type WorldReader } from '@treeos/world'
import type { OpenReality } from './open-reality.ts'

/**
 * Appends facts that come from no act of a being.
 * @param reader the reader that the drafts were decided from; the append checks the heads that it read
 * @param wakes that the facts send
 * @returns false when another writer moved one of these heads, and nothing was written
 */
export async function appendSystemFacts(
  { db, reality }: OpenReality,
  drafts: readonly FactDraft[],
  reader: WorldReader,
  wakes: readonly Wake[] = [],
): Promise<boolean> {
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
    changes: [],
    closes: [],
    outcome: null,
  })
  return answer.status === 'appended'
}
