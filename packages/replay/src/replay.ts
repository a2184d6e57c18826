import type { Client } from '@temporalio/client'
import type { WorkflowBundleOption } from '@temporalio/worker'
import { type ChainDb, listOutcomes, listRows, type Reality } from '@treeos/chain'
import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import type { Registry } from '@treeos/world'
import type { Kysely } from 'kysely'
import { replayFromChain } from './compare-chain.ts'
import { replayFromTemporal } from './compare-temporal.ts'
import type { Mismatch } from './comparison.ts'
import { Past } from './past.ts'
import { HistoryReplayer } from './replayer.ts'
import { fetchRuns } from './temporal-history.ts'

export interface ReplayRequest {
  /** null: every being of the reality */
  readonly beings: readonly BeingName[] | null
  readonly from: 'chain' | 'temporal' | 'both'
  /** folder of archived histories, for runs that Temporal has deleted */
  readonly archive?: string | null
  /** from `bundleForReplay`; making one takes seconds */
  readonly bundle?: WorkflowBundleOption
  /** one that is open already, and stays so: to open one takes longer than to replay most beings */
  readonly replayer?: HistoryReplayer
  readonly onProgress?: (line: string) => void
}

export interface Replayed {
  readonly beings: number
  readonly moments: number
  readonly identical: boolean
  readonly mismatches: readonly Mismatch[]
  /** moments whose prompt an older version wrote: all of such a moment is compared, except the text of its prompt */
  readonly olderPrompts: number
}

/**
 * Checks the chain and Temporal's histories against each other. Recomputes every finished moment from the chain, and replays
 * every run in Temporal. Calls no model and writes nothing.
 * @throws {TreeosError} BEING_NOT_FOUND
 */
export async function replay(
  at: { db: Kysely<ChainDb>; temporal: Client | null; reality: Reality; registry: Registry },
  request: ReplayRequest,
): Promise<Replayed> {
  const { temporal } = at
  const replayer =
    request.from === 'chain' || temporal === null
      ? null
      : (request.replayer ?? (await HistoryReplayer.open(request.bundle)))
  try {
    return await replayAll(
      at,
      request,
      temporal === null || replayer === null ? null : { temporal, replayer },
    )
  } finally {
    if (request.replayer === undefined) await replayer?.close()
  }
}

async function replayAll(
  at: { db: Kysely<ChainDb>; reality: Reality; registry: Registry },
  request: ReplayRequest,
  histories: { temporal: Client; replayer: HistoryReplayer } | null,
): Promise<Replayed> {
  const names = await beingsOf(at.db, request.beings)
  const past = new Past(at.db)
  const mismatches: Mismatch[] = []
  let moments = 0
  let olderPrompts = 0
  for (const being of names) {
    const outcomes = await listOutcomes(at.db, being)
    if (outcomes.length === 0) continue
    request.onProgress?.(`replaying ${outcomes.length} moments of ${stanceOf(being)}`)
    moments += outcomes.length
    if (request.from !== 'temporal') {
      const lived = await replayFromChain({ db: at.db, registry: at.registry, past }, being, outcomes)
      mismatches.push(...lived.mismatches)
      olderPrompts += lived.olderPrompts
    }
    if (histories !== null) {
      const runs = await fetchRuns(histories.temporal, at.reality.name, being, request.archive ?? null)
      mismatches.push(...(await replayFromTemporal(histories.replayer, being, runs, outcomes)))
    }
  }
  return { beings: names.length, moments, identical: mismatches.length === 0, mismatches, olderPrompts }
}

async function beingsOf(db: Kysely<ChainDb>, wanted: readonly BeingName[] | null): Promise<BeingName[]> {
  const living = (await listRows(db, 'being:')).map((row) => row.key.slice('being:'.length))
  const unknown = wanted?.find((being) => !living.includes(being))
  if (unknown !== undefined)
    throw new TreeosError('BEING_NOT_FOUND', `no being ${stanceOf(unknown)} lives in this reality`)
  return wanted === null ? living : [...wanted]
}
