import { append, buildFacts, type ChainDb, type Reality, readClock, rowSource } from '@treeos/chain'
import { type FactDraft, SUBSTRATE } from '@treeos/core'
import { foldRows, rowKeyOf, WorldReader } from '@treeos/world'
import type { Kysely } from 'kysely'

export const readerOf = ({ db, reality }: { db: Kysely<ChainDb>; reality: Reality }): WorldReader =>
  new WorldReader(rowSource(db, reality.id))

/** Appends what no being did. @returns false when somebody else wrote in between */
export async function appendSystemFacts(
  db: Kysely<ChainDb>,
  reality: Reality,
  drafts: readonly FactDraft[],
  reader: WorldReader,
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
    inbox: [],
    changes: [],
    closes: [],
    outcome: null,
  })
  return answer.status === 'appended'
}
