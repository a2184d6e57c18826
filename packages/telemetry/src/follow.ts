import { setTimeout as sleep } from 'node:timers/promises'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { MomentId } from '@treeos/core'
import { type Db, type Reality, readJournal, waitForOpenAppends } from '@treeos/store'
import type { Position } from './position.ts'
import { type FinishedMoment, readMoments } from './read-moments.ts'
import { spansOf } from './spans.ts'

/** Entries of the journal that are read and exported together. */
const BATCH_LENGTH = 200
const IDLE_MS = 1_000
const RETRY_MS_MIN = 500
const RETRY_MS_MAX = 30_000

/** What has gone out, for whoever watches. */
export interface SentTraces {
  readonly moments: number
  readonly spans: number
  /** the last entry of the journal that needs no export any more */
  readonly entry: number
}

export interface ExportOptions {
  readonly exporter: SpanExporter
  readonly position: Position
  readonly reality: Reality
  readonly resource: Resource
  readonly withContent: boolean
  readonly signal: AbortSignal
  /** ends when all that is committed has gone out; otherwise it goes on until the signal */
  readonly once?: boolean
  readonly onExported?: (exported: SentTraces) => void
  /** a batch that could not be read or was not taken; it is tried again */
  readonly onError?: (error: Error) => void
  /** a moment whose trace the collector refuses for good, while it takes others */
  readonly onLeftOut?: (moment: MomentId, error: Error) => void
}

/**
 * A bad request, or one that is too large: the same again would be refused again. Any other refusal is of the
 * address, or of now.
 */
const REFUSED_FOR_GOOD = new Set([400, 413, 422])
const isRefusedForGood = (error: unknown): error is Error =>
  error instanceof Error && REFUSED_FOR_GOOD.has(Number((error as { code?: unknown }).code))

/** What this process knows of its collector. */
interface CollectorState {
  /** it has taken some spans: what it refuses for good is the fault of what was sent */
  hasTaken: boolean
}

/**
 * Exports a trace of each moment that ended, from the journal: a replay writes no entry, so it makes no span,
 * and what a worker did before it was killed is there. The position is kept after the collector has taken a
 * batch. A process that is killed in between exports that batch again, with the same ids. A moment that the
 * collector refuses for good is named and left out.
 */
export async function exportTraces(db: Db, options: ExportOptions): Promise<void> {
  const { signal, once = false, onError = () => undefined } = options
  const known: CollectorState = { hasTaken: false }
  for (let pauseMs = RETRY_MS_MIN; !signal.aborted; ) {
    try {
      const isMore = await exportNext(db, options, known)
      pauseMs = RETRY_MS_MIN
      if (isMore) continue
      if (once) return
      await pause(IDLE_MS, signal)
    } catch (error) {
      if (once) throw error
      onError(error as Error)
      await pause(pauseMs, signal)
      pauseMs = Math.min(2 * pauseMs, RETRY_MS_MAX)
    }
  }
}

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined)

/** @returns whether there may be more */
async function exportNext(db: Db, options: ExportOptions, known: CollectorState): Promise<boolean> {
  const { position, withContent, onExported, onLeftOut, signal } = options
  const after = position.entry
  const { upTo, moments } = await nextEntries(db, after, signal)
  if (upTo === after) return false
  const finished = await readMoments(db, moments, withContent)
  const { spans, refused } = await sendHalving(finished, options, known)
  const [first] = refused
  // An endpoint that has taken nothing may not be a collector: then nothing is left out.
  if (first !== undefined && !known.hasTaken) throw first.error
  for (const { moment, error } of refused) onLeftOut?.(moment, error)
  position.keep(upTo)
  onExported?.({ moments: finished.length - refused.length, spans, entry: upTo })
  return true
}

interface SentHalves {
  /** that were taken */
  readonly spans: number
  readonly refused: readonly { readonly moment: MomentId; readonly error: Error }[]
}

/**
 * Sends moments together. Where the collector refuses that for good, it sends halves of them, down to the
 * moments that it refuses.
 */
async function sendHalving(
  moments: readonly FinishedMoment[],
  options: ExportOptions,
  known: CollectorState,
): Promise<SentHalves> {
  const { exporter, resource, reality, withContent } = options
  const spans = moments.flatMap((moment) => spansOf(moment, { resource, reality: reality.id, withContent }))
  if (spans.length === 0) return { spans: 0, refused: [] }
  try {
    await sent(exporter, spans)
    known.hasTaken = true
    return { spans: spans.length, refused: [] }
  } catch (error) {
    if (!isRefusedForGood(error)) throw error
    const [only] = moments
    if (moments.length === 1 && only !== undefined)
      return { spans: 0, refused: [{ moment: only.outcome.moment, error }] }
  }
  const middle = moments.length >> 1
  const first = await sendHalving(moments.slice(0, middle), options, known)
  const second = await sendHalving(moments.slice(middle), options, known)
  return { spans: first.spans + second.spans, refused: [...first.refused, ...second.refused] }
}

/** The next entries without a gap. A number that is missing may still be committed, or never will be. */
export async function nextEntries(
  db: Db,
  after: number,
  signal: AbortSignal,
): Promise<{ readonly upTo: number; readonly moments: readonly MomentId[] }> {
  const page = await readJournal(db, after, BATCH_LENGTH)
  const isWhole = page.entries.every(({ entry }, i) => entry === after + 1 + i)
  if (page.newest <= after) return { upTo: after, moments: [] }
  if (isWhole && page.entries.length > 0) return upToLast(after, page.entries)
  await waitForOpenAppends(db, signal)
  const { entries } = await readJournal(db, after, BATCH_LENGTH)
  const settled = entries.filter(({ entry }) => entry <= page.newest)
  return settled.length < BATCH_LENGTH
    ? { ...upToLast(after, settled), upTo: page.newest }
    : upToLast(after, settled)
}

const upToLast = (
  after: number,
  entries: readonly { readonly entry: number; readonly moment: MomentId | null }[],
) => ({
  upTo: entries.at(-1)?.entry ?? after,
  moments: entries.flatMap(({ moment }) => (moment === null ? [] : [moment])),
})

/** @throws {Error} when the collector did not take them */
const sent = (exporter: SpanExporter, spans: ReadableSpan[]): Promise<void> =>
  new Promise((done, fail) => {
    exporter.export(spans, ({ code, error }) => {
      if (code === 0) done()
      else fail(error ?? new Error('the collector did not take the spans'))
    })
  })
