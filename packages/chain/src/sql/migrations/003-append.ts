import { type Kysely, sql } from 'kysely'

/**
 * The one function that moves heads.
 * batch: {being, moment, generation, heads: [{reel, seq, stateSeq, write}], facts, rows, inbox, closes, outcome}; the facts
 * of one reel in their order.
 * Answers {status}: `appended`; `stale` and the reel whose head moved; `superseded` by a younger generation; `done`
 * when the moment already has its outcome. Hashes are made by the caller and checked here, by Postgres' own sha256.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(LOCK).execute(db)
  await sql.raw(APPEND).execute(db)
}

const LOCK = `
create function treeos.lock_heads(reels text[]) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  wanted text;
begin
  for wanted in select distinct reel collate "C" as reel from unnest(reels) as reel order by 1 loop
    perform 1 from head where reel = wanted for update;
  end loop;
end $$;
`

const APPEND = `
create function treeos.append(batch jsonb) returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  this_moment text := batch->>'moment';
  this_being text := batch->>'being';
  by_anything boolean;
  wanted record;
  stands record;
  moved text;
  generation_now integer;
  f record;
  o record;
  said jsonb;
begin
  -- Heads exist before they are locked: racing first appends would else meet as unique violations.
  if batch->'heads' @? '$[*] ? (@.seq == 0)' then
    insert into head (reel, seq, hash, state_seq)
      select h.reel, 0, genesis(h.reel), 0
      from jsonb_to_recordset(batch->'heads') as h(reel text, seq bigint)
      where h.seq = 0 and not exists (select from head where head.reel = h.reel)
      order by h.reel collate "C"
      on conflict do nothing;
  end if;
  -- One pass in one order, so that no two appends wait for each other; those who only read share.
  for wanted in
    select h.reel, h.seq, h."stateSeq" state_seq, h.write
    from jsonb_to_recordset(batch->'heads') as h(reel text, seq bigint, "stateSeq" bigint, write boolean)
    order by h.reel collate "C"
  loop
    if wanted.write then
      select seq, state_seq into stands from head where reel = wanted.reel for update;
    else
      select seq, state_seq into stands from head where reel = wanted.reel for share;
    end if;
    if stands.state_seq is distinct from wanted.state_seq or (wanted.write and stands.seq is distinct from wanted.seq) then
      moved := coalesce(moved, wanted.reel);
    end if;
  end loop;

  if this_moment is not null then
    if exists (select from moment_outcome where moment = this_moment) then
      return jsonb_build_object('status', 'done');
    end if;
    generation_now := living(this_being);
    if generation_now is distinct from (batch->>'generation')::integer then
      return jsonb_build_object('status', 'superseded', 'generation', generation_now);
    end if;
  end if;

  if moved is not null then
    return jsonb_build_object('status', 'stale', 'reel', moved);
  end if;

  for f in
    select r.reel, r.seq, r.kind, r.changes, decode(r.prev, 'hex') prev, decode(r.hash, 'hex') hash,
      decode(r.header, 'hex') header, decode(r."payloadHash", 'hex') payload_hash, decode(r.salt, 'hex') salt,
      decode(r.bytes, 'hex') bytes
    from jsonb_to_recordset(batch->'facts') as r(reel text, seq bigint, kind text, changes boolean, prev text, hash text,
      header text, "payloadHash" text, salt text, bytes text)
  loop
    if (f.hash = sha256('treeos.fact.v1\\000'::bytea || f.prev || f.header)
      and f.payload_hash = sha256('treeos.payload.v1\\000'::bytea || f.salt || f.bytes)
      and convert_from(f.header, 'UTF8')::jsonb @> jsonb_build_object('reel', f.reel, 'seq', f.seq, 'kind', f.kind,
        'moment', this_moment, 'payloadHash', encode(f.payload_hash, 'hex'))) is not true
    then
      raise exception 'fact %#% is not what its hash says', f.reel, f.seq using errcode = 'TR002';
    end if;
    update head set seq = f.seq, hash = f.hash, state_seq = case when f.changes then f.seq else state_seq end
      where reel = f.reel and seq = f.seq - 1 and hash = f.prev;
    if not found then
      raise exception 'fact %#% does not continue its chain', f.reel, f.seq using errcode = 'TR002';
    end if;
    insert into fact (reel, seq, kind, moment, hash, prev, payload_hash, header)
      values (f.reel, f.seq, f.kind, this_moment, f.hash, f.prev, f.payload_hash, f.header);
    insert into payload (reel, seq, salt, bytes) values (f.reel, f.seq, f.salt, f.bytes);
  end loop;

  if jsonb_array_length(batch->'rows') > 0 then
    insert into projection (key, reel, state, folded_seq, place, parent, cognition)
      select r.key, r.reel, r.state, r."foldedSeq", r.place, r.parent, r.cognition
      from jsonb_to_recordset(batch->'rows') as r(key text, reel text, state text, "foldedSeq" bigint, place text,
        parent text, cognition text)
      on conflict (key) do update set state = excluded.state, folded_seq = excluded.folded_seq, place = excluded.place,
        parent = excluded.parent, cognition = excluded.cognition;
  end if;

  if jsonb_array_length(batch->'inbox') > 0 then
    insert into inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root, in_reply_to,
        asked_role, hops, continues, cause)
      select i.id, i.being, i.kind, i.priority, i.caller, i."callerRole", i."callerCognition", decode(i.content, 'hex'),
        i.root, i."inReplyTo", i."askedRole", i.hops, i.continues, decode(i.cause, 'hex')
      from jsonb_to_recordset(batch->'inbox') as i(id text, being text, kind text, priority smallint, caller text,
        "callerRole" text, "callerCognition" text, content text, root text, "inReplyTo" text, "askedRole" text,
        hops integer, continues integer, cause text)
      on conflict (id) do nothing;
  end if;

  if jsonb_typeof(batch->'outcome') = 'object' then
    select r.n, r.kind, r.reason, r.wake, r."sealedAt" sealed_at, r."primaryRole" primary_role, r.detail, r.result,
        decode(r.prev, 'hex') prev, decode(r.hash, 'hex') hash, decode(r.record, 'hex') record
      into o
      from jsonb_to_record(batch->'outcome') as r(n integer, kind text, reason text, wake text, "sealedAt" bigint,
        "primaryRole" text, prev text, hash text, record text, detail text, result text);
    said := convert_from(o.record, 'UTF8')::jsonb;
    if (o.hash = sha256('treeos.moment.v1\\000'::bytea || o.prev || o.record)
      and said @> jsonb_build_object('being', this_being, 'moment', this_moment, 'n', o.n, 'wake', o.wake,
        'sealedAt', o.sealed_at, 'outcome', o.kind, 'reason', o.reason)
      and said#>>'{stack,primary,name}' is not distinct from o.primary_role) is not true
    then
      raise exception 'the record of % is not what its hash says', this_moment using errcode = 'TR002';
    end if;
    update head set seq = o.n, hash = o.hash
      where reel = 'moments:' || this_being and seq = o.n - 1 and hash = o.prev;
    if not found then
      raise exception 'the record of % does not continue its chain', this_moment using errcode = 'TR002';
    end if;
    insert into moment_outcome (moment, being, n, kind, reason, wake, sealed_at, primary_role, prev, hash, record, detail, result)
      values (this_moment, this_being, o.n, o.kind, o.reason, o.wake, o.sealed_at, o.primary_role, o.prev, o.hash,
        o.record, o.detail, o.result);
    if o.reason = 'superseded' then
      update inbox set claimed_by = null where claimed_by = this_moment and closed_by is null;
    else
      -- An array, not a subquery: with \`or\` that would read the whole inbox. What was closed before stays as it was.
      update inbox set closed_by = this_moment, closed_at = clock_timestamp()
        where closed_by is null
          and id = any(array_append(array(select jsonb_array_elements_text(batch->'closes')), o.wake));
    end if;
  end if;

  if this_being is null then
    return jsonb_build_object('status', 'appended', 'waiting', 0);
  end if;
  -- Counted to a bound: the workflow asks whether to go on, people ask how long the line is.
  by_anything := wakes(this_being, 'summon');
  return jsonb_build_object('status', 'appended', 'waiting', (
    select count(*) from (
      select from inbox
      where being = this_being and closed_by is null and claimed_by is null and (by_anything or kind = 'act')
      limit 1000) as line));
end $$;
`
