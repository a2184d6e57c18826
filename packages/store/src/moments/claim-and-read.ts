import { type BeingName, isOfThread, type MomentId } from '@treeos/core'
import { type Selectable, sql } from 'kysely'
import { entryOf, type InboxEntry } from '../inbox/entry.ts'
import { throwStaleGeneration } from '../inbox/life.ts'
import { type OverlayColumns, type OverlaySources, sourcesOf } from '../inbox/overlays-of-wake.ts'
import type { KeptReading } from '../rows/prefetch.ts'
import {
  fetchedOf,
  type ReadSet,
  type ReadSetLists,
  readSetArguments,
  readSetLists,
} from '../rows/read-set.ts'
import type { ReadSetItem } from '../rows/read-set-items.ts'
import type { Db } from '../sql/database.ts'
import type { InboxTable } from '../sql/schema.ts'
import { StatementBatcher } from '../sql/statement-batcher.ts'
import type { CallAttempt, CallCost, ReserveResult } from './budgets.ts'

/** A wake that a moment has claimed. */
export interface ClaimedWake extends InboxEntry {
  /** its thread was cut, so the moment ends at once */
  readonly cut: boolean
  /** the moment has an open record: this is a rerun */
  readonly opened: boolean
  /** somebody watches what the model of its being writes; left out when nobody does */
  readonly streamed?: true
  /** left out when it has no overlay */
  readonly overlays?: OverlaySources
}

/** A row of the inbox that a moment has claimed, and what else the claim tells. */
type ClaimedRow = Selectable<InboxTable> &
  OverlayColumns & { cut: boolean; opened: boolean; streamed?: boolean }

/** A wake that a moment has claimed, and the world as it was then. */
export interface ClaimResult {
  readonly wake: ClaimedWake
  /** null when the moment is open already, or its thread was cut: then nothing was read */
  readonly kept: KeptReading | null
  /**
   * `reserved`: the call may cost what was asked for; `free`: whatever it costs; null: nothing was reserved
   */
  readonly reserved: 'reserved' | 'free' | null
}

/**
 * Claims the next wake for a moment: the one it has already claimed, else the first by priority, then by age.
 * Then it reads a predicted read set at one instant, all in one statement. It adds what the wake names: its
 * caller, and the cut of its thread.
 * @param call reserved, too, unless the wake is an act, or the moment has a reservation already
 * @returns null when no wake waits
 * @throws {StaleGenerationError} when a younger life has begun
 */
export async function claimAndRead(
  db: Db,
  at: {
    readonly reality: string
    readonly being: BeingName
    readonly moment: MomentId
    readonly generation: number
  },
  predicted: ReadSet,
  call: (Pick<CallAttempt, 'attempt'> & { readonly cost: CallCost }) | null,
): Promise<ClaimResult | null> {
  const { being, moment, generation } = at
  const { tokens = null, micros = null } = call?.cost ?? {}
  const asked = {
    being,
    moment,
    generation,
    ...readSetLists(predicted),
    attempt: call?.attempt ?? null,
    tokens,
    micros,
  }
  const rows = await claims.ask(db, asked).catch(throwStaleGeneration)
  const fetchedAt = performance.now()
  const [first, ...lines] = rows
  if (first === undefined) return null
  const answer = lines.at(-1)?.what === 'reserved' ? lines.pop()?.text : null
  const status = answer == null ? null : (JSON.parse(answer).status as ReserveResult['status'])
  const fetched = lines.length === 0 ? null : fetchedOf(at.reality, predicted, lines)
  return {
    wake: claimedWake(rowOf(first)),
    kept: fetched === null ? null : { fetched, predicted, at: fetchedAt },
    reserved: status === 'reserved' || status === 'free' ? status : null,
  }
}

/** The arguments of the SQL function `claim_and_read`, in their order. */
interface ClaimArguments extends ReadSetLists {
  readonly being: BeingName
  readonly moment: MomentId
  readonly generation: number
  readonly attempt: number | null
  readonly tokens: number | null
  readonly micros: number | null
}

const claims = new StatementBatcher<ClaimArguments, readonly ReadSetItem[]>({
  async one(db, { being, moment, generation, attempt, tokens, micros, ...lists }) {
    const { rows } = await sql<ReadSetItem>`
      select * from treeos.claim_and_read(${being}, ${moment}, ${generation}, ${readSetArguments(lists)},
        ${attempt}::integer, ${tokens}::bigint, ${micros}::bigint)`.execute(db)
    return rows
  },
  async many(db, asks) {
    const { rows } = await sql<ReadSetItem & { readonly ask: number }>`
      select * from treeos.claim_together(${JSON.stringify(asks)}::jsonb)`.execute(db)
    const answers = asks.map((): ReadSetItem[] => [])
    for (const row of rows) answers[row.ask]?.push(row)
    return answers
  },
  lengthOf: () => 0, // a read set has some hundred names at most
})

/** A row of the inbox as JSON, where times and bytes are text. */
type JsonRow = Omit<ClaimedRow, 'at' | 'latest' | 'cause' | 'content'> & {
  readonly at: string
  readonly latest: string | null
  readonly cause: string | null
}

function rowOf({ text, hash: content }: ReadSetItem): ClaimedRow {
  if (text === null || content === null) throw new Error('the SQL function claim_and_read returned no wake')
  const row = JSON.parse(text) as JsonRow
  return {
    ...row,
    content,
    cause: row.cause === null ? null : Buffer.from(row.cause.slice('\\x'.length), 'hex'),
    at: new Date(row.at),
    latest: row.latest === null ? null : new Date(row.latest),
  }
}

function claimedWake(row: ClaimedRow): ClaimedWake {
  const entry = entryOf(row)
  const { cut, opened, streamed } = row
  const overlays = sourcesOf(row)
  const more = {
    opened,
    ...(overlays === undefined ? {} : { overlays }),
    ...(streamed === true ? { streamed } : {}),
  }
  // A wake by change also covers later changes from other threads, so it starts a thread of its own.
  if (cut && !isOfThread(entry)) return { ...entry, root: entry.id, cut: false, ...more }
  return { ...entry, cut, ...more }
}
