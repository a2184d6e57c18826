import { SPEECH_KIND } from '@treeos/core'
import { type CopyOut, type Db, inSnapshot, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { faultOfFact, faultOfRecord } from './judge.ts'
import { type FactRow, type RecordRow, readFacts, readRecords } from './read.ts'
import { type ChainsVerified, sorted } from './verdict.ts'
import { Walk } from './walk.ts'

export interface VerifyOptions {
  readonly onProgress?: (done: { readonly facts: number; readonly moments: number }) => void
}

/** Facts between two reports of progress. */
const PROGRESS = 1000

/** Hears what a walk reads, after the walk has judged it. */
export interface WalkListener {
  /** the same object shows the next fact afterwards */
  readonly fact?: (fact: FactRow) => void
  readonly records?: (batch: readonly RecordRow[]) => Promise<void>
}

/**
 * Checks every chain over the stored bytes, in one snapshot: numbers, links, hashes, headers, payloads and
 * heads, and the same of the records of moments. A missing payload is not a fault here: `verifyAll` asks for
 * its tombstone. A chain that was rewritten as a whole passes; only checkpoints show that.
 * @param reality the id that genesis hashes are derived from
 */
export function verifyChains(
  db: Kysely<StoreDb>,
  reality: string,
  options: VerifyOptions = {},
): Promise<ChainsVerified> {
  return inSnapshot(db, (tx, copy) => walkChains(tx, copy, reality, options))
}

export async function walkChains(
  tx: Db,
  copy: CopyOut,
  reality: string,
  { onProgress = () => undefined }: VerifyOptions,
  heard: WalkListener = {},
): Promise<ChainsVerified> {
  const heads = await tx.selectFrom('head').selectAll().execute()
  const walk = new Walk(
    reality,
    new Map(heads.map((head) => [head.reel, { ...head, stateSeq: head.state_seq }])),
  )
  let [facts, moments] = [0, 0]
  await readFacts(copy, (fact) => {
    walk.step(fact, () => faultOfFact(fact), fact.kind !== SPEECH_KIND)
    heard.fact?.(fact)
    facts += 1
    if (facts % PROGRESS === 0) onProgress({ facts, moments })
  })
  onProgress({ facts, moments })
  const reels = walk.chains
  await readRecords(copy, async (batch) => {
    for (const row of batch) walk.step(row, () => faultOfRecord(row), false)
    await heard.records?.(batch)
    moments += batch.length
    onProgress({ facts, moments })
  })
  walk.end()
  return { reels, facts, moments, ok: walk.broken.size === 0, broken: sorted(walk.broken.values()) }
}
