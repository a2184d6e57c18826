import type { Db } from '@treeos/store'
import { sql } from 'kysely'
import { HeadsTree } from '../tree/heads.ts'
import type { LogEntry } from '../tree/leaf.ts'

const PAGE = 5000

/** The ends of all chains in the log, kept up to date as it grows. */
export class HeadsOfLog {
  readonly #reality: string
  #tree: HeadsTree
  #size = 0
  readonly #page: number

  /** @param page entries that are read at once; a longer log is read chain by chain at first */
  constructor(reality: string, page = PAGE) {
    this.#reality = reality
    this.#page = page
    this.#tree = new HeadsTree(reality)
  }

  /** Forgets what it read: the log may have become another one. */
  forget(): void {
    this.#tree = new HeadsTree(this.#reality)
    this.#size = 0
  }

  /** The ends after the first `size` entries. @throws {Error} when the log holds fewer */
  async at(db: Db, size: number): Promise<HeadsTree> {
    if (size < this.#size) this.forget()
    if (this.#size === 0 && size > this.#page) {
      for (const end of await readEnds(db, size)) this.#tree.add(end)
      this.#size = size
    }
    while (this.#size < size) {
      const to = Math.min(this.#size + this.#page, size)
      const entries = await readEntries(db, this.#size, to)
      if (entries.length !== to - this.#size) throw new Error(`the log lacks entries before ${to}`)
      for (const entry of entries) this.#tree.add(entry)
      this.#size = to
    }
    return this.#tree
  }
}

const readEntries = (db: Db, from: number, to: number): Promise<LogEntry[]> =>
  db
    .selectFrom('log_entry')
    .select(['reel', 'seq', 'hash'])
    .where('index', '>=', from)
    .where('index', '<', to)
    .orderBy('index')
    .execute()

/**
 * The last entry of each chain, in the order of their first entries: a look at the index for each chain,
 * however long it is.
 */
async function readEnds(db: Db, size: number): Promise<LogEntry[]> {
  const { rows } = await sql<LogEntry>`
    with recursive chain as (
      (select reel from treeos.log_entry order by reel limit 1)
      union all
      select (select reel from treeos.log_entry l where l.reel > c.reel order by l.reel limit 1) from chain c
      where c.reel is not null
    )
    select c.reel, l.seq, l.hash from chain c
    cross join lateral (
      select index from treeos.log_entry where reel = c.reel and index < ${size} order by seq limit 1) f
    cross join lateral (
      select seq, hash from treeos.log_entry where reel = c.reel and index < ${size} order by seq desc limit 1) l
    where c.reel is not null order by f.index`.execute(db)
  return rows
}
