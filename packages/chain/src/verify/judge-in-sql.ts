import { SPEECH_KIND } from '@treeos/core'
import { sql } from 'kysely'
import pg from 'pg'
import type { CopyOut } from '../sql/copy.ts'
import type { Db } from '../sql/database.ts'
import type { Broken, BrokenReason } from './verdict.ts'

/** The first fault of each reel from one to another. */
export const judgeFacts = (copy: CopyOut, reality: string, from: string, to: string): Promise<Broken[]> =>
  judge(copy, (jsonOf) => faultsOfFacts(reality, from, to, jsonOf))

/** The same of the records of moments, from one being to another. */
export const judgeRecords = (copy: CopyOut, reality: string, from: string, to: string): Promise<Broken[]> =>
  judge(copy, (jsonOf) => faultsOfRecords(reality, from, to, jsonOf))

type JsonOf = (column: string) => string

/**
 * To guard the reading of JSON against damaged bytes costs more than to read it. So all is read without a guard first, and again with
 * one when that failed.
 */
async function judge(copy: CopyOut, selectWith: (jsonOf: JsonOf) => string): Promise<Broken[]> {
  const run = async (jsonOf: JsonOf) => {
    const faults: Broken[] = []
    await copy(selectWith(jsonOf), (row) => {
      faults.push({ reel: row.text(0), seq: row.bigint(1), reason: row.text(2) as BrokenReason })
      return undefined
    })
    return faults
  }
  try {
    return await run((column) => `convert_from(${column}, 'UTF8')::jsonb`)
  } catch (error) {
    if (!isOfData(error)) throw error
    return run((column) => `treeos.json_of(${column})`)
  }
}

/** Of class 22: Postgres could not read a value. */
const isOfData = (error: unknown): boolean =>
  error instanceof Error && String((error as { code?: unknown }).code).startsWith('22')

// The keys of a canonical header are sorted, so the query can write the whole header out.
const faultsOfFacts = (reality: string, from: string, to: string, jsonOf: JsonOf): string => `
  with link as (
    select f.*, row_number() over w as turn, coalesce(lag(hash) over w, ${genesis(text(reality), 'reel')}) as should
    from treeos.fact f
    where reel between ${text(from)} and ${text(to)}
    window w as (partition by reel order by seq)
  ), body as (
    -- offset 0 makes Postgres parse each header once, not once for each use
    select link.*, said from link cross join lateral (select ${jsonOf('header')} as said offset 0) as header_json
  ), judged as (
    select body.reel, body.seq, turn,
      case
        when body.seq <> turn then 'seq-gap'
        when prev is distinct from should then 'prev-mismatch'
        when hash is distinct from sha256('treeos.fact.v1\\000'::bytea || prev || header) then 'hash-mismatch'
        when jsonb_typeof(said->'actor') is distinct from 'string'
          or jsonb_typeof(said->'code') is distinct from 'string'
          or jsonb_typeof(said->'at') is distinct from 'number' or octet_length(said->>'at') > 15
          or translate(said->>'at', '0123456789', '') not in ('', '-')
          or coalesce(jsonb_typeof(said->'driver') not in ('string', 'null'), true)
          or coalesce(jsonb_typeof(said->'cause') not in ('string', 'null'), true)
          or coalesce(jsonb_typeof(said->'stack') not in ('string', 'null'), true)
          or header is distinct from convert_to('{"actor":' || (said->'actor')::text || ',"at":' || (said->>'at')
            || ',"cause":' || (said->'cause')::text || ',"code":' || (said->'code')::text
            || ',"driver":' || (said->'driver')::text || ',"kind":' || to_json(kind)::text
            || ',"moment":' || coalesce(to_json(moment)::text, 'null')
            || ',"payloadHash":"' || encode(payload_hash, 'hex') || '","reel":' || to_json(body.reel)::text
            || ',"seq":' || body.seq || ',"stack":' || (said->'stack')::text || ',"v":1}', 'UTF8')
          then 'header-mismatch'
        when payload_hash <> sha256('treeos.payload.v1\\000'::bytea || salt || bytes) then 'payload-mismatch'
      end as reason
    from body left join treeos.payload p on p.reel = body.reel and p.seq = body.seq
  )
  select distinct on (reel) reel, case reason when 'seq-gap' then turn else seq end as seq, reason
  from judged where reason is not null order by reel, judged.seq`

const faultsOfRecords = (reality: string, from: string, to: string, jsonOf: JsonOf): string => `
  with link as (
    select o.*, row_number() over w as turn,
      coalesce(lag(hash) over w, ${genesis(text(reality), "'moments:' || being")}) as should
    from treeos.moment_outcome o
    where being between ${text(from)} and ${text(to)}
    window w as (partition by being order by n)
  ), body as (
    select link.*, said from link cross join lateral (select ${jsonOf('record')} as said offset 0) as record_json
  ), judged as (
    select being, n, turn,
      case
        when n <> turn then 'seq-gap'
        when prev is distinct from should then 'prev-mismatch'
        when hash is distinct from sha256('treeos.moment.v1\\000'::bytea || prev || record) then 'hash-mismatch'
        when (said @> jsonb_build_object('being', being, 'moment', moment, 'n', n, 'outcome', kind, 'reason', reason,
            'wake', wake, 'sealedAt', sealed_at)
          and said#>>'{stack,primary,name}' is not distinct from primary_role) is not true then 'header-mismatch'
      end as fault
    from body
  )
  select distinct on (being) 'moments:' || being as reel, case fault when 'seq-gap' then turn else n end as seq,
    fault as reason
  from judged where fault is not null order by being, n`

const text = (value: string): string => pg.escapeLiteral(value)

// The genesis hash of a reel. The parts are joined as bytes, because text cannot hold a NUL.
const genesis = (reality: string, reel: string): string =>
  `sha256('treeos.genesis.v1\\000'::bytea || convert_to(${reality}, 'UTF8') || '\\000'::bytea
    || convert_to(${reel}, 'UTF8'))`

/** Heads that differ from the last link of their chain, and chains without a head. */
export async function judgeHeads(tx: Db, reality: string): Promise<Broken[]> {
  const { rows } = await sql<Broken>`
    with tip as (
      select reel, max(seq) as seq, coalesce(max(seq) filter (where kind <> ${SPEECH_KIND}), 0) as state_seq
      from treeos.fact group by reel
      union all
      select 'moments:' || being, max(n), 0 from treeos.moment_outcome group by being
    ), stands as (
      select tip.*, coalesce(f.hash, o.hash) as hash
      from tip
      left join treeos.fact f on f.reel = tip.reel and f.seq = tip.seq
      left join treeos.moment_outcome o on 'moments:' || o.being = tip.reel and o.n = tip.seq
    )
    select coalesce(s.reel, h.reel) as reel, coalesce(s.seq, 0) as seq, 'head-mismatch' as reason
    from stands s full join treeos.head h on h.reel = s.reel
    where h.seq is distinct from coalesce(s.seq, 0)
      or h.state_seq is distinct from coalesce(s.state_seq, 0)
      or h.hash is distinct from coalesce(s.hash, ${sql.raw(genesis(text(reality), 'h.reel'))})`.execute(tx)
  return rows
}

/** Payloads that belong to no fact. */
export async function findStrays(tx: Db): Promise<Broken[]> {
  const { rows } = await sql<Broken>`
    select reel, min(seq) as seq, 'payload-mismatch' as reason
    from treeos.payload p
    where not exists (select from treeos.fact f where f.reel = p.reel and f.seq = p.seq)
    group by reel`.execute(tx)
  return rows
}
