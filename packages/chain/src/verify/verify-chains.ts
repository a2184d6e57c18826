import { SPEECH_KIND } from '@treeos/core'
import type { Kysely } from 'kysely'
import type { CopyOut } from '../sql/copy.ts'
import { type Db, inSnapshot } from '../sql/database.ts'
import type { ChainDb } from '../sql/schema.ts'
import { faultOfFact, faultOfRecord } from './judge.ts'
import { type FactRow, type RecordRow, readFacts, readRecords, strayPayloads } from './read.ts'
import { sorted, type Verified } from './verdict.ts'
import { Walk } from './walk.ts'

export interface VerifyOptions {
  readonly onProgress?: (done: { readonly facts: number; readonly moments: number }) => void
}

/** Hears each batch of a walk after the walk has judged it. */
export interface Listening {
  readonly facts?: (batch: readonly FactRow[]) => void
  readonly records?: (batch: readonly RecordRow[]) => Promise<void>
}

/**
 * Checks every chain over the stored bytes, in one snapshot: numbers, links, hashes, headers, payloads and heads, and the
 * same of the records of moments. A payload that is not there is no fault here: `verifyAll` asks for its tombstone. A chain that was rewritten as a whole passes; only
 * checkpoints show that.
 * @param reality the id that genesis hashes are derived from
 */
export function verifyChains(
  db: Kysely<ChainDb>,
  reality: string,
  options: VerifyOptions = {},
): Promise<Verified> {
  return inSnapshot(db, (tx, copy) => walkChains(tx, copy, reality, options))
}

export async function walkChains(
  tx: Db,
  copy: CopyOut,
  reality: string,
  { onProgress = () => undefined }: VerifyOptions,
  heard: Listening = {},
): Promise<Verified> {
  const heads = await tx.selectFrom('head').selectAll().execute()
  const walk = new Walk(
    reality,
    new Map(heads.map((head) => [head.reel, { ...head, stateSeq: head.state_seq }])),
  )
  let facts = 0
  for await (const batch of readFacts(copy)) {
    for (const row of batch) walk.step(row, () => faultOfFact(row), row.kind !== SPEECH_KIND)
    heard.facts?.(batch)
    facts += batch.length
    onProgress({ facts, moments: 0 })
  }
  const reels = walk.chains
  let moments = 0
  for await (const batch of readRecords(copy)) {
    for (const row of batch) walk.step(row, () => faultOfRecord(row), false)
    await heard.records?.(batch)
    moments += batch.length
    onProgress({ facts, moments })
  }
  walk.end()
  for (const { reel, seq } of await strayPayloads(tx)) walk.report({ reel, seq, reason: 'payload-mismatch' })
  return { reels, facts, moments, ok: walk.broken.size === 0, broken: sorted(walk.broken.values()) }
}
