import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import type { Entry, History } from './history.ts'
import type { Random } from './random.ts'

const PAUSE_MS = 400

/** A client that reads random reels while an experiment runs, whole, and notes what it saw. */
export class Reader {
  readonly #db: Kysely<StoreDb>
  readonly #history: History
  readonly #reading: Promise<void>
  #closed = false

  constructor(db: Kysely<StoreDb>, history: History, random: Random) {
    this.#db = db
    this.#history = history
    this.#reading = this.#run(random)
  }

  async #run(random: Random): Promise<void> {
    while (!this.#closed) {
      await sleep(PAUSE_MS)
      const reels = this.#reels
      // A server that is away is read again later: a failed read is left out.
      if (reels.length > 0 && !this.#closed) await this.#read(random.pick(reels)).catch(() => undefined)
    }
  }

  get #reels(): string[] {
    return [...new Set(this.#history.operations.map(({ reel }) => reel))]
  }

  /** Reads every reel once more, at the end. */
  async readAll(): Promise<void> {
    for (const reel of this.#reels) await this.#read(reel)
  }

  #read(reel: string): Promise<void> {
    return this.#history.read(reel, () => entriesOf(this.#db, reel))
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#reading
  }
}

/** The questions, answers and deeds on a reel, as a history names them. */
async function entriesOf(db: Kysely<StoreDb>, reel: string): Promise<Entry[]> {
  const { rows } = await sql<{ entry: Entry }>`
    with said as (
      select seq, kind, convert_from(bytes, 'UTF8')::jsonb as payload
      from treeos.fact
      where reel = ${reel} and kind in ('quality:set', 'being:summoned')
    ), named as (
      select seq, case
        when kind = 'quality:set' then 'did ' || (payload->>'value')
        when payload->'inReplyTo' = 'null' then 'asked ' || (payload->>'correlation')
        else 'answered ' || (payload->>'inReplyTo') end as entry
      from said
    )
    select entry from named where entry ~ '^[a-z]+ [a-z-]+-[0-9]+$'
    order by seq`.execute(db)
  return rows.map(({ entry }) => entry)
}
