import type { BeingName, MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** The next piece of an answer. */
export interface WordPiece {
  /** name of the tool whose arguments the model writes; null for plain words */
  readonly tool: string | null
  readonly text: string
}

/**
 * What a model writes while its call is under way: it is told to those who watch the being, and stored
 * nowhere.
 */
export interface WordNotice {
  readonly being: BeingName
  readonly moment: MomentId
  /** the thread of the wake */
  readonly thread: string
  /** the question that plain words of this call answer; null where they reach nobody */
  readonly answers: string | null
  /** tells the calls of one moment apart */
  readonly attempt: number
  /** number of this part of the call, from 0; a missing one was lost on its way */
  readonly part: number
  readonly says: readonly WordPiece[]
  /** only in the last part: whether the model answered, or the call failed and may be made again */
  readonly end?: 'answered' | 'lost'
}

/** Most bytes of one notice. Postgres takes less than 8000. */
export const NOTICE_BYTES_MAX = 7000

/**
 * Tells words to those who watch. Serialises commits, so it is called seldom, and only for a being that is
 * watched.
 */
export async function notifyWords(db: Db, words: WordNotice): Promise<void> {
  await sql`select pg_notify('treeos_words', ${JSON.stringify(words)})`.execute(db)
}

/**
 * Whether somebody watches a being. A watcher holds an advisory lock in share mode, see `listen.ts`: it is
 * free where nobody does. `claim_and_read` asks the same when a moment opens.
 */
export async function isStreamed(db: Db, being: BeingName): Promise<boolean> {
  const { rows } = await sql<{ streamed: boolean }>`
    select not pg_try_advisory_xact_lock(1953654118, hashtext(${being})) as streamed`.execute(db)
  return rows[0]?.streamed === true
}

/**
 * @returns null when the notice does not have this form. Any login of the database can send notices, so this
 *   is not an error
 */
export function parseWords(payload: string): WordNotice | null {
  try {
    const words = JSON.parse(payload) as Partial<WordNotice> | null
    const isWhole =
      typeof words?.being === 'string' &&
      typeof words.moment === 'string' &&
      typeof words.thread === 'string' &&
      (words.answers === null || typeof words.answers === 'string') &&
      Number.isSafeInteger(words.attempt) &&
      Number.isSafeInteger(words.part) &&
      Array.isArray(words.says) &&
      words.says.every(isSaying)
    return isWhole ? (words as WordNotice) : null
  } catch {
    return null
  }
}

const isSaying = (value: unknown): value is WordPiece => {
  const { tool, text } = (value ?? {}) as Partial<WordPiece>
  return typeof text === 'string' && (tool === null || typeof tool === 'string')
}
