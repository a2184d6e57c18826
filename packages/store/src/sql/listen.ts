import { setTimeout as sleep } from 'node:timers/promises'
import type { BeingName } from '@treeos/core'
import { ProvingClient } from '@treeos/postgres'
import { isPooled } from './pooler.ts'
import { parseWords, type WordNotice } from './word-notices.ts'
import { WordStreams } from './word-streams.ts'

/** Hears that the journal has grown, and what models write, over one connection of its own. */
export interface JournalListener {
  /**
   * @param heard called at each notice, and whenever one may have been missed.
   * @returns ends the subscription
   */
  subscribe(heard: () => void): () => void
  /** Hears what the model of a being writes. Whether somebody may is for the caller to ask. */
  streamWords(being: BeingName, heard: (words: WordNotice) => void): WordStream
  /** resolves once it listens for the first time; the connection may be lost later */
  readonly ready: Promise<void>
  close(): Promise<void>
}

export interface WordStream {
  /** resolves once it is held: calls of moments that open from then on are heard */
  readonly ready: Promise<void>
  end(): void
}

export interface ListenOptions {
  /** called when the connection is lost, or cannot be made; it is tried again */
  readonly onLost?: (error: Error) => void
}

/** Read by `write-journal.sql`, which explains it. */
const FOLLOWERS = 'select pg_advisory_lock_shared(1953654117, 2)'
const JOURNAL = 'treeos_journal'
const WORDS = 'treeos_words'
const CONNECT_MS = 10_000
const RETRY_MS_MIN = 100
const RETRY_MS_MAX = 5_000
/** A connection can die without a word, so it is asked this often. */
const ASK_EACH_MS = 15_000
const ANSWER_MS = 5_000

/**
 * Listens until it is closed. A lost connection is made again. While somebody listens, appends of this
 * database notify.
 * @throws {Error} where the URL leads to a pooler of transactions, which would lose the subscription and keep
 *   its lock
 */
export function listenToJournal(
  url: string,
  { onLost = () => undefined }: ListenOptions = {},
): JournalListener {
  if (isPooled(url))
    throw new Error(
      'the database URL leads to a pooler of transactions, through which nobody can listen: name Postgres itself',
    )
  const subscribers = new Set<() => void>()
  const wordStreams = new WordStreams()
  const closing = new AbortController()
  const tell = () => {
    for (const heard of subscribers) heard()
  }
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>()
  const run = async () => {
    for (let pauseMs = RETRY_MS_MIN; !closing.signal.aborted; pauseMs = Math.min(2 * pauseMs, RETRY_MS_MAX)) {
      try {
        await listenOnce(url, closing.signal, {
          wordStreams,
          onListening: () => {
            pauseMs = RETRY_MS_MIN / 2
            isReady()
            tell()
          },
          onNotice: tell,
        })
      } catch (error) {
        if (!closing.signal.aborted) onLost(error as Error)
      }
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }
  const done = run()
  return {
    ready,
    subscribe(heard) {
      subscribers.add(heard)
      return () => void subscribers.delete(heard)
    },
    streamWords: (being, heard) => wordStreams.add(being, heard),
    async close() {
      closing.abort()
      await done
    },
  }
}

interface ListenDeps {
  readonly wordStreams: WordStreams
  readonly onListening: () => void
  readonly onNotice: () => void
}

/** One connection, until it is lost. @throws why it was lost */
async function listenOnce(
  url: string,
  closing: AbortSignal,
  { wordStreams, onListening, onNotice }: ListenDeps,
): Promise<void> {
  const client = new ProvingClient({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: 'treeos follower',
  })
  const { promise: over, reject } = Promise.withResolvers<never>()
  const onClosing = () => reject(new Error('closed'))
  client.on('error', reject)
  client.on('end', () => reject(new Error('the connection was closed')))
  closing.addEventListener('abort', onClosing)
  over.catch(() => undefined) // it may end before anything waits for it
  client.on('notification', ({ channel, payload }) => {
    if (channel !== WORDS) return onNotice()
    const words = parseWords(payload ?? '')
    if (words !== null) wordStreams.tell(words)
  })
  try {
    await Promise.race([client.connect(), over])
    await Promise.race([client.query(`${FOLLOWERS}; listen ${JOURNAL}; listen ${WORDS}`), over])
    await Promise.race([wordStreams.connect(client), over])
    onListening()
    for (;;) {
      await Promise.race([sleep(ASK_EACH_MS, undefined, { signal: closing }), over])
      await Promise.race([wordStreams.inTurn(() => client.query('select')), over])
      // The one transaction that tells for several may fail at its commit. Its silence then lasts until here.
      onNotice()
    }
  } finally {
    wordStreams.disconnect()
    closing.removeEventListener('abort', onClosing)
    client.end().catch(() => undefined)
  }
}
