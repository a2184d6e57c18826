import { SPEECH_KIND } from '@treeos/core'
import type { BrokenReason, ChainFault } from '@treeos/proofs'
import type { CopyOut, Db } from '@treeos/store'
import { sql } from 'kysely'
import pg from 'pg'

/** Copies the faults that a select finds: reel, seq and reason. */
async function judge(copy: CopyOut, select: string): Promise<ChainFault[]> {
  const faults: ChainFault[] = []
  await copy(select, (row) => {
    faults.push({ reel: row.text(0), seq: row.bigint(1), reason: row.text(2) as BrokenReason })
    return undefined
  })
  return faults
}

/** The first fault of each reel from one to another. */
export const judgeFacts = (copy: CopyOut, reality: string, from: string, to: string): Promise<ChainFault[]> =>
  judge(copy, faultsOfFacts(reality, from, to))

/** The same of the records of moments, from one being to another. */
export const judgeRecords = (
  copy: CopyOut,
  reality: string,
  from: string,
  to: string,
): Promise<ChainFault[]> => judge(copy, faultsOfRecords(reality, from, to))

// The keys of a canonical header are sorted. So `own`, what the columns say, stands in it as one piece. To
// parse the rest as JSON would cost more than all else, and most headers need no escapes: then it is enough
// to count what would be escaped in the rest.
const faultsOfFacts = (reality: string, from: string, to: string): string => `
  with link as (
    select f.*, row_number() over w as turn, coalesce(lag(hash) over w, ${genesis(text(reality), 'reel')}) as should
    from treeos.fact f
    where reel between ${text(from)} and ${text(to)}
    window w as (partition by reel order by seq)
  ), body as (
    select link.*, own, rest
    -- offset 0 makes Postgres compute each of these once, not once for each use
    from link cross join lateral (select convert_to(',"kind":' || to_json(kind)::text
        || ',"moment":' || coalesce(to_json(moment)::text, 'null') || ',"payloadHash":"' || encode(payload_hash, 'hex')
        || '","reel":' || to_json(reel)::text || ',"seq":' || seq || ',"stack":', 'UTF8') as own offset 0) as columns
      cross join lateral (select case position(own in header) when 0 then null else
        encode(overlay(header placing '\\x01'::bytea from position(own in header) for octet_length(own)), 'escape') end
        as rest offset 0) as parts
  ), judged as (
    select body.reel, body.seq, turn,
      case
        when body.seq <> turn then 'seq-gap'
        when prev is distinct from should then 'prev-mismatch'
        when hash is distinct from sha256('treeos.fact.v1\\000'::bytea || prev || header) then 'hash-mismatch'
        when ${isPlain('rest')} is not true and not ${isAnyHeader} then 'header-mismatch'
        when (salt is null) <> (bytes is null) or payload_hash <> sha256('treeos.payload.v1\\000'::bytea || salt || bytes) then 'payload-mismatch'
      end as reason
    from body
  )
  select distinct on (reel) reel, case reason when 'seq-gap' then turn else seq end as seq, reason
  from judged where reason is not null order by reel, judged.seq`

/**
 * Whether the rest of a header is canonical and needs no escapes: it has the quotes that its values have
 * around them, and nothing more that would be escaped in a JSON text but the byte that stands for `own`.
 */
const isPlain = (rest: string): string => `
  (octet_length(to_json(${rest})::text) - octet_length(${rest}) - 2 = case ${FORMS.map(
    ({ like, escaped }) => `when ${rest} like ${like} then ${escaped}`,
  ).join(' ')} end
    and octet_length(${AT(rest)}) between 1 and 15 and translate(${AT(rest)}, '0123456789', '') = ''
    and (${AT(rest)} = '0' or not starts_with(${AT(rest)}, '0')))`

const AT = (rest: string): string => `split_part(split_part(${rest}, ',"cause":', 1), '"at":', 2)`

/**
 * The forms of a plain rest, each with how much longer it is as a JSON text: by one a quote, and by five for
 * the byte 1.
 */
const FORMS = [true, false].flatMap((hasCause) =>
  [false, true].flatMap((hasDriver) =>
    [true, false].map((hasStack) => {
      const value = (isText: boolean) => (isText ? '"%"' : 'null')
      const form = `{"actor":"%","at":%,"cause":${value(hasCause)},"code":"%","driver":${value(hasDriver)}\\x01${value(hasStack)},"v":1}`
      return { like: `E'${form}'`, escaped: (form.match(/"/g)?.length ?? 0) + 5 }
    }),
  ),
)

/** Whether a header is the canonical JSON of its columns, with escapes or without. */
const isAnyHeader = `coalesce((
  select jsonb_typeof(said->'actor') = 'string' and jsonb_typeof(said->'code') = 'string'
    and jsonb_typeof(said->'at') = 'number' and (said->>'at') ~ '^-?[0-9]{1,15}$'
    and jsonb_typeof(said->'driver') in ('string', 'null') and jsonb_typeof(said->'cause') in ('string', 'null')
    and jsonb_typeof(said->'stack') in ('string', 'null')
    and header = convert_to('{"actor":' || (said->'actor')::text || ',"at":' || (said->>'at')
      || ',"cause":' || (said->'cause')::text || ',"code":' || (said->'code')::text
      || ',"driver":' || (said->'driver')::text, 'UTF8') || own || convert_to((said->'stack')::text || ',"v":1}', 'UTF8')
  from (select treeos.json_of(header) as said offset 0) as parsed), false)`

const faultsOfRecords = (reality: string, from: string, to: string): string => `
  with link as (
    select o.*, row_number() over w as turn,
      coalesce(lag(hash) over w, ${genesis(text(reality), "'moments:' || being")}) as should
    from treeos.moment_outcome o
    where being between ${text(from)} and ${text(to)}
    window w as (partition by being order by n)
  ), body as (
    select link.*, said from link cross join lateral (select treeos.json_of(record) as said offset 0) as record_json
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
export async function judgeHeads(tx: Db, reality: string): Promise<ChainFault[]> {
  const { rows } = await sql<ChainFault>`
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
