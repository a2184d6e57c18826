import { setTimeout as sleep } from 'node:timers/promises'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { MomentId } from '@treeos/core'
import { type Db, type Reality, readJournal, waitForOpenAppends } from '@treeos/store'
import type { Position } from './position.ts'
import { readMoments } from './read-moments.ts'
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
}

/**
 * Exports a trace of each moment that ended, from the journal: a replay writes no entry, so it makes no span, and what a worker did
 * before it was killed is there. The position is kept after the collector has taken a batch. A process that is killed in between
 * exports that batch again, with the same ids.
 */
export async function exportTraces(db: Db, options: ExportOptions): Promise<void> {
  const { signal, once = false, onError = () => undefined } = options
  for (let pauseMs = RETRY_MS_MIN; !signal.aborted; ) {
    try {
      const isMore = await exportNext(db, options)
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
async function exportNext(db: Db, options: ExportOptions): Promise<boolean> {
  const { exporter, position, reality, resource, withContent, onExported, signal } = options
  const after = position.entry
  const { upTo, moments } = await nextEntries(db, after, signal)
  if (upTo === after) return false
  const finished = await readMoments(db, moments, withContent)
  const spans = finished.flatMap((moment) => spansOf(moment, { resource, reality: reality.id, withContent }))
  if (spans.length > 0) await sent(exporter, spans)
  position.keep(upTo)
  onExported?.({ moments: finished.length, spans: spans.length, entry: upTo })
  return true
}

/** The next entries without a gap. A number that is missing may still be committed, or never will be. */
async function nextEntries(
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
