import type { Decision } from '@treeos/core'
import { sql } from 'kysely'
import { digestOf, saltedDigest } from '../ledger/hash.ts'
import type { MomentRecord, OpenRecord } from '../ledger/records.ts'
import { readBases } from '../moments/basis.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'
import type { RecordRow } from './read.ts'
import type { Broken, BrokenReason } from './verdict.ts'

/** Compares what these moments opened with, and what their minds answered, with the digests in their records. */
export async function faultsOfMoments(tx: Db, records: readonly RecordRow[]): Promise<Broken[]> {
  const moments = records.map(({ moment }) => moment)
  const isAsked = sql<boolean>`moment = any(${moments}::text[])`
  const [opens, bases, decisions] = await Promise.all([
    tx.selectFrom('moment_open').selectAll().where(isAsked).execute(),
    readBases(tx, moments),
    tx.selectFrom('moment_decision').selectAll().where(isAsked).execute(),
  ])
  const openOf = new Map(opens.map((row) => [row.moment, row]))
  const decisionOf = new Map(decisions.map((row) => [row.moment, row]))
  return records.flatMap(({ reel, seq, moment, record: bytes }) => {
    const record = readable(() => decodeJson<MomentRecord>(bytes))
    if (record === null) return [] // the walk reports it
    const reasons: BrokenReason[] = []
    if (!isOpenOf(record, openOf.get(moment), bases.get(moment))) reasons.push('open-mismatch')
    if (!isDecisionOf(record, decisionOf.get(moment))) reasons.push('decision-mismatch')
    return reasons.map((reason) => ({ reel, seq, reason }))
  })
}

type OpenRow = {
  being: string
  n: number
  wake: string
  opened_at: number
  record: Buffer
  face: string | null
}

function isOpenOf(record: MomentRecord, row: OpenRow | undefined, basis: unknown): boolean {
  if (row === undefined) return false
  const open = readable(() => decodeJson<OpenRecord>(row.record))
  return (
    open !== null &&
    record.open === digestOf(open) &&
    open.basis === digestOf(basis ?? []) &&
    row.being === record.being &&
    row.n === open.n &&
    row.wake === open.wake.id &&
    row.opened_at === open.openedAt &&
    row.face === open.face
  )
}

type DecisionRow = { kind: string; digest: string; salt: Buffer; bytes: Buffer }

function isDecisionOf({ decision }: MomentRecord, row: DecisionRow | undefined): boolean {
  if (row === undefined || decision === null) return decision === null
  const said = readable(() => decodeJson<Decision>(row.bytes))
  return said?.kind === row.kind && row.digest === decision && saltedDigest(row.salt, row.bytes) === decision
}

function readable<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
