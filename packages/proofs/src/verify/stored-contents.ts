import { type FactHeader, isAsSaid, type JsonObject, SPEECH_KIND } from '@treeos/core'
import { type Db, decodeJson, digestOfBytes, encodeJson, type InboxTable, wakeOf } from '@treeos/store'
import { type Selectable, sql } from 'kysely'
import type { ChainFault } from './verdict.ts'

const PAGE = 500

/** Compares each stored content with its digest. */
export async function faultsOfBlobs(tx: Db): Promise<ChainFault[]> {
  const faults: ChainFault[] = []
  for (let last = ''; ; ) {
    const page = await tx
      .selectFrom('blob')
      .selectAll()
      .where(sql<boolean>`digest collate "C" > ${last}`)
      .orderBy(sql`digest collate "C"`)
      .limit(PAGE)
      .execute()
    for (const { digest, bytes } of page)
      if (digestOfBytes(bytes) !== digest)
        faults.push({ reel: `blob:${digest}`, seq: 0, reason: 'blob-mismatch' })
    const end = page.at(-1)
    if (end === undefined || page.length < PAGE) return faults
    last = end.digest
  }
}

/**
 * Compares each summon in an inbox with the fact on its sender's reel. Nothing is in an inbox that nobody
 * said.
 */
export async function faultsOfSummons(tx: Db): Promise<ChainFault[]> {
  const faults: ChainFault[] = []
  for (let last = 0; ; ) {
    const { rows } = await sql<SummonRow>`
      select i.*, f.kind as fact, f.header, f.bytes
      from treeos.inbox i
      left join treeos.fact f on f.hash = i.cause
      where i.kind = 'summon' and i.age > ${last}
      order by i.age limit ${PAGE}`.execute(tx)
    for (const row of rows)
      if (!wasSaid(row)) faults.push({ reel: `inbox:${row.being}`, seq: row.age, reason: 'wake-mismatch' })
    const end = rows.at(-1)
    if (end === undefined || rows.length < PAGE) return faults
    last = end.age
  }
}

/** The act is marked as from outside, and its person lets workflows act in its name. */
const isHosted = sql`i.outside and exists (
  select from treeos.fact f where f.reel = 'being:' || i.being and f.kind = 'quality:set'
    and position('"path":["wake"'::bytea in f.bytes) > 0 and position('"workflows"'::bytea in f.bytes) > 0)`

/**
 * Finds acts of persons that no login put into an inbox that may act for persons: such an act was planted by
 * a plain statement. A login that this server does not have, as after a restored backup, is not judged. A
 * worker's login may insert acts that are marked as from outside, if the person lets workflows act in its name.
 */
export async function faultsOfActs(tx: Db): Promise<ChainFault[]> {
  const { rows } = await sql<ChainFault>`
    select 'inbox:' || i.being as reel, i.age as seq, 'act-unexplained' as reason
    from treeos.inbox i left join pg_catalog.pg_roles r on r.rolname = i.login
    where i.kind = 'act' and (i.login is null or r.oid is not null and not exists (
      select from pg_catalog.pg_roles may where may.rolname in ('treeos_people', 'treeos_portal', 'treeos_signals', 'treeos_app')
        and (may.rolname <> 'treeos_app' or ${isHosted}) and pg_has_role(r.oid, may.oid, 'MEMBER')))
    order by i.age`.execute(tx)
  return rows
}

/** Finds what was said and is in no inbox: a summon that was taken away before anybody lived it. */
export async function faultsOfSpeech(tx: Db): Promise<ChainFault[]> {
  const { rows } = await sql<ChainFault>`
    select f.reel, f.seq, 'wake-missing' as reason from treeos.fact f
    where f.kind = ${SPEECH_KIND} and not exists (select from treeos.inbox i where i.cause = f.hash)`.execute(
    tx,
  )
  return rows
}

interface SummonRow extends Selectable<InboxTable> {
  /** kind of the fact; null without one */
  readonly fact: string | null
  readonly header: Buffer | null
  /** null when the payload was erased */
  readonly bytes: Buffer | null
}

function wasSaid(row: SummonRow): boolean {
  if (row.header === null || row.fact !== SPEECH_KIND) return false
  try {
    const { actor } = decodeJson<FactHeader>(row.header)
    if (actor !== row.caller) return false
    if (row.bytes === null) return row.content.toString('utf8') === 'null' // erased here as well
    const said = decodeJson<JsonObject>(row.bytes)
    return isAsSaid(wakeOf(row), said) && encodeJson(said.content ?? null).equals(row.content)
  } catch {
    return false // not JSON
  }
}
