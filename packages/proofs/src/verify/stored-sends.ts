import { isJsonObject, type Json, type MomentId } from '@treeos/core'
import {
  aboutOf,
  type Db,
  decodeJson,
  type Erasures,
  type InboxTable,
  type MomentRecord,
  REALITY_FORKED,
  readBases,
  type SentList,
  sendsDigest,
  wakeHash,
  wakeOf,
} from '@treeos/store'
import { type Selectable, sql } from 'kysely'
import type { RecordRow } from './read.ts'
import type { MomentFault } from './stored-moments.ts'
import type { BrokenReason, ChainFault } from './verdict.ts'

type InboxRow = Selectable<InboxTable>

/** What a moment says that it sent, with its own wake. */
interface SenderRow {
  readonly moment: MomentId
  readonly wake: string | null
  readonly sent: Buffer | null
}

const PAGE = 500

/** Compares what moments sent and closed with the inboxes, as far as these still hold it. */
export class StoredSends {
  readonly #erasures: Erasures
  /** ms since 1970; null where the reality is not a fork. A fork has not all that was sent before */
  #forkedAt: number | null | undefined
  #erased = 0
  #merged = 0
  #unkept = 0

  constructor(erasures: Erasures) {
    this.#erasures = erasures
  }

  /**
   * Compares the digests in these records with what is stored of them, and that with the rows of the wakes.
   */
  async faultsOf(tx: Db, records: readonly RecordRow[]): Promise<MomentFault[]> {
    this.#forkedAt ??= await readForkedAt(tx)
    const moments = records.map(({ moment }) => moment)
    const senders = new Map((await readSenders(tx, moments)).map((row) => [row.moment, row]))
    const bases = await readBases(tx, moments)
    const listed = new Map([...senders].map(([moment, { sent }]) => [moment, sentIn(sent)]))
    const rows = await readRows(
      tx,
      [...listed.values()].flatMap((sent) => idsIn(sent)),
    )
    return records.flatMap((row) => {
      const fault = (reason: BrokenReason) => ({ reel: row.reel, seq: row.seq, reason, on: [row.reel] })
      const record = recordIn(row.record)
      if (record === null) return [] // the walk reports it
      const sent = listed.get(row.moment) ?? null
      const salt = bases.get(row.moment)?.salt ?? ''
      const isStored = (senders.get(row.moment)?.sent ?? null) !== null
      const digest = sent === null ? null : sendsDigest(salt, sent)
      if ((record.sends ?? null) !== digest || isStored !== (sent !== null)) return [fault('sends-mismatch')]
      const reasons = new Set(sent === null ? [] : this.#compared(sent, rows, row.sealed_at))
      return [...reasons].map(fault)
    })
  }

  *#compared(sent: SentList, rows: ReadonlyMap<string, InboxRow>, sealedAt: number): Generator<BrokenReason> {
    const isOfOrigin = typeof this.#forkedAt === 'number' && sealedAt <= this.#forkedAt
    for (const [id, hash] of sent.wakes) {
      const row = rows.get(id)
      if (row === undefined && isOfOrigin) this.#unkept += 1
      else if (row === undefined) yield 'wake-missing'
      else if (isErased(row) && !this.#erasures.isEmpty) this.#erased += 1
      else if (!isHashed(row, hash, false)) yield 'wake-mismatch'
    }
    for (const [id, hash] of sent.notices) {
      const row = rows.get(id)
      // Of an entry that counts several, or that another moment may have written first, nobody knows what
      // this one said.
      if (row === undefined || row.times > 1 || !OWN_NOTICE.test(id)) this.#merged += 1
      else if (!isHashed(row, hash, true)) yield 'wake-mismatch'
    }
    for (const id of sent.closes) if (rows.get(id)?.closed_by === null && !isOfOrigin) yield 'wake-mismatch'
  }

  /** Call it after all records. @returns the entries that a moment sent or closed, and does not say so */
  async faultsOfInboxes(tx: Db): Promise<ChainFault[]> {
    const faults: ChainFault[] = []
    for (let last = 0; ; ) {
      const { rows } = await sql<EntryRow>`
        select i.id, i.being, i.kind::text, i.age, i.cause, i.closed_by, f.moment as spoken,
          array(select a.moment from treeos.fact a where i.kind = 'event' and i.id ~ '^(asked|approved|denied)/' and a.moment is not null
            and a.reel = 'approval:' || array_to_string((string_to_array(i.id, '/'))[2:4], '/')) as answered,
          -- Its being goes on by it for what its moment was about, or its sender asks for that.
          coalesce((select i.about is distinct from ${aboutOf()} from treeos.moment_open o join treeos.inbox w on w.id = o.wake
            where o.moment = case when i.kind = 'summon' and i.in_reply_to is null then f.moment
              when i.kind = 'event' then substring(i.id from '^(?:look|continue|refused)/(.*)$') end), false)
          or i.let_go is not null and i.let_go !~ '^notice/' and not exists (select from treeos.inbox n where n.id = i.let_go) as "isForOther"
        from treeos.inbox i left join treeos.fact f on i.kind = 'summon' and f.hash = i.cause
        where i.age > ${last} order by i.age limit ${PAGE}`.execute(tx)
      const entries = rows.map((row) => ({ row, by: sendersOf(row), closer: momentIn(row.closed_by) }))
      const asked = entries.flatMap(({ by, closer }) => [...(by ?? []), ...(closer === null ? [] : [closer])])
      const told = await readSenders(tx, [...new Set(asked)])
      const senders = new Map(told.map((sender) => [sender.moment, { ...sender, list: sentIn(sender.sent) }]))
      const faultOf = ({ row, by, closer }: (typeof entries)[number]): BrokenReason | null => {
        if (by !== null && !by.some((moment) => hasSent(senders.get(moment)?.list ?? null, row)))
          return 'wake-unsent'
        const closing = closer === null ? undefined : senders.get(closer)
        const isClosed = closer === null || closing?.wake === row.id || closing?.list?.closes.includes(row.id)
        return isClosed === true && !row.isForOther ? null : 'wake-mismatch'
      }
      for (const entry of entries) {
        const reason = faultOf(entry)
        if (reason !== null) faults.push({ reel: `inbox:${entry.row.being}`, seq: entry.row.age, reason })
      }
      const end = rows.at(-1)
      if (end === undefined || rows.length < PAGE) return faults
      last = end.age
    }
  }

  /** In words, what of it is not compared. */
  get unchecked(): string[] {
    const told: readonly (readonly [count: number, text: string])[] = [
      [
        this.#erased,
        'wakes were erased: what they said is not compared with what their senders committed to',
      ],
      [this.#merged, 'notices are counted in entries with others: what each of them said is not compared'],
      [this.#unkept, 'wakes were sent before the fork and are not in it'],
    ]
    return told.flatMap(([count, text]) => (count === 0 ? [] : [`${count} ${text}`]))
  }
}

interface EntryRow extends Pick<InboxRow, 'id' | 'being' | 'kind' | 'age' | 'cause' | 'closed_by'> {
  /** moment of the fact that tells a summon; null without one */
  readonly spoken: MomentId | null
  /** moments that wrote facts about the call that waits for a yes, of an entry about one */
  readonly answered: readonly MomentId[]
  /** it is kept for another wake than its sender was about, or says that it was let go, and nothing tells of that */
  readonly isForOther: boolean
}

/** Notices whose id names their moment alone. */
const OWN_NOTICE = /^(notice|parked)\//
/** Entries whose id names the moment that sent them, from which a change of the id would be seen. */
const OF_MOMENT = /^(?:look|continue|awakened|notice|parked|change)\/([^/]+\/\d+\/\d+)(?:\/|$)/
const MOMENT = /^[^/]+\/\d+\/\d+$/

const momentIn = (closedBy: string | null): MomentId | null =>
  closedBy !== null && MOMENT.test(closedBy) ? closedBy : null

/**
 * The moments of which one must have sent an entry; null for one that no moment sends, or whose id does not
 * name it.
 */
function sendersOf({ id, kind, spoken, answered }: EntryRow): readonly MomentId[] | null {
  if (kind === 'act') return null
  // a summon that no fact tells is a fault of its own
  if (kind === 'summon') return spoken === null ? null : [spoken]
  const [, moment] = OF_MOMENT.exec(id) ?? []
  if (moment !== undefined) return [moment]
  return id.startsWith('expired/') || answered.length === 0 ? null : answered
}

function hasSent(sent: SentList | null, { id, cause }: EntryRow): boolean {
  if (sent === null) return false
  if (id.startsWith('change/')) return cause !== null && sent.changes.includes(cause.toString('hex'))
  return [...sent.wakes, ...sent.notices].some(([told]) => told === id)
}

const isErased = ({ salt, content }: InboxRow): boolean =>
  salt === null && content.toString('utf8') === 'null'

function isHashed(row: InboxRow, hash: string, isNotice: boolean): boolean {
  try {
    return row.salt !== null && wakeHash(row.salt, wakeOf(row), isNotice) === hash
  } catch {
    return false // its content is not JSON
  }
}

const idsIn = (sent: SentList | null): string[] =>
  sent === null ? [] : [...sent.wakes.map(([id]) => id), ...sent.notices.map(([id]) => id), ...sent.closes]

/** Null for nothing, and for anything but such a list. */
function sentIn(stored: Buffer | null): SentList | null {
  if (stored === null) return null
  try {
    const told = decodeJson<Json>(stored)
    const isList = isJsonObject(told) && FIELDS.every((field) => Array.isArray(told[field]))
    const isPaired = isList && [...list(told.wakes), ...list(told.notices)].every(Array.isArray)
    return isPaired ? (told as unknown as SentList) : null
  } catch {
    return null
  }
}
const FIELDS = ['wakes', 'notices', 'changes', 'closes']
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

function recordIn(bytes: Buffer): Pick<MomentRecord, 'sends'> | null {
  try {
    return decodeJson<MomentRecord>(bytes)
  } catch {
    return null
  }
}

const readSenders = (tx: Db, moments: readonly MomentId[]): Promise<SenderRow[]> =>
  tx
    .selectFrom('moment_outcome')
    .select(['moment', 'wake', 'sent'])
    .where(sql<boolean>`moment = any(${[...moments]}::text[])`)
    .execute()

async function readRows(tx: Db, ids: readonly string[]): Promise<ReadonlyMap<string, InboxRow>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('inbox')
    .selectAll()
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

async function readForkedAt(tx: Db): Promise<number | null> {
  const { reel, kind } = REALITY_FORKED
  const row = await tx
    .selectFrom('fact')
    .select('header')
    .where('reel', '=', reel)
    .where('kind', '=', kind)
    .where('moment', 'is', null)
    .orderBy('seq', 'desc')
    .executeTakeFirst()
  return row === undefined ? null : decodeJson<{ readonly at: number }>(row.header).at
}
