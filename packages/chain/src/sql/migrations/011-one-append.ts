import { type Kysely, sql } from 'kysely'

/**
 * The one function that moves heads, in one place: 003 wrote it, 005 to 008 each put a step around it.
 * batch: {being, moment, generation, lease, leaseSeconds, heads: [{reel, seq, stateSeq, write}], facts, rows, inbox,
 * changes, closes, outcome}; the facts of one reel in their order. Each row may say {watches, account, lease}.
 * Answers {status}: `appended`, with who is woken and how many wait for this being; `done` when the moment already has its
 * outcome; `superseded` by a younger generation; `unleased` when the lease of a driver's act is over; `stale` and the reel
 * whose head moved. Only `appended` writes. Hashes are made by the caller and checked here, by Postgres' own sha256.
 * Locks are taken in one order everywhere: heads, inbox rows, then accounts by name.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(DROP).execute(db)
  await sql.raw(HOLD).execute(db)
  await sql.raw(WRITE).execute(db)
  await sql.raw(CLOSE).execute(db)
  await sql.raw(SETTLE).execute(db)
  await sql.raw(APPEND).execute(db)
  await sql.raw(RIGHTS).execute(db)
}

const DROP = `
drop function treeos.append(jsonb), treeos.append_undriven(jsonb), treeos.append_closing(jsonb),
  treeos.append_unbudgeted(jsonb), treeos.append_unwatched(jsonb);
`

const APPEND = `
create function treeos.append(batch jsonb) returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  refusal jsonb := hold(batch);
  woken jsonb := '[]';
begin
  if refusal is not null then
    return refusal;
  end if;
  perform write_facts(batch->>'moment', batch->'facts');
  if jsonb_array_length(batch->'rows') > 0 then
    perform write_rows(batch->'rows');
  end if;
  if jsonb_array_length(batch->'inbox') > 0 then
    perform write_inbox(batch->'inbox');
  end if;
  if jsonb_typeof(batch->'outcome') = 'object' then
    perform close_moment(batch);
  end if;
  -- What an append does not ask for costs it nothing.
  if batch->'rows' @? 'strict $[*] ? (@.watches.type() == "array")' then
    perform keep_watches(batch->'rows');
  end if;
  if jsonb_array_length(batch->'changes') > 0 then
    woken := wake_watchers(batch->>'moment', batch->'changes');
  end if;
  perform keep_budgets(batch);
  if batch->'rows' @? 'strict $[*] ? (@.lease.type() == "object")' then
    perform keep_leases(batch->'rows', (batch->>'leaseSeconds')::integer);
  end if;
  return jsonb_build_object('status', 'appended', 'waiting', count_waiting(batch->>'being'), 'woken', woken);
end $$;
`

const HOLD = `
-- Holds every head the batch has read; why it may not be written, or null.
create function treeos.hold(batch jsonb) returns jsonb language plpgsql as $$
declare
  this_being text := batch->>'being';
  this_moment text := batch->>'moment';
  wanted record;
  stands record;
  moved text;
  generation_now integer;
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
  -- No lock on the lease is needed: whoever takes or releases one writes a fact on the being's reel, which every act of the
  -- being has read. Only the clock is asked here.
  if jsonb_typeof(batch->'lease') = 'number' and not lease_holds(this_being, (batch->>'lease')::integer) then
    return jsonb_build_object('status', 'unleased');
  end if;
  if moved is not null then
    return jsonb_build_object('status', 'stale', 'reel', moved);
  end if;
  return null;
end $$;
`

const WRITE = `
create function treeos.write_facts(this_moment text, facts jsonb) returns void language plpgsql as $$
declare
  f record;
begin
  for f in
    select r.reel, r.seq, r.kind, r.changes, decode(r.prev, 'hex') prev, decode(r.hash, 'hex') hash,
      decode(r.header, 'hex') header, decode(r."payloadHash", 'hex') payload_hash, decode(r.salt, 'hex') salt,
      decode(r.bytes, 'hex') bytes
    from jsonb_to_recordset(facts) as r(reel text, seq bigint, kind text, changes boolean, prev text, hash text,
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
end $$;

create function treeos.write_rows(rows jsonb) returns void language plpgsql as $$
begin
  insert into projection (key, reel, state, folded_seq, place, parent, cognition)
    select r.key, r.reel, r.state, r."foldedSeq", r.place, r.parent, r.cognition
    from jsonb_to_recordset(rows) as r(key text, reel text, state text, "foldedSeq" bigint, place text, parent text,
      cognition text)
    on conflict (key) do update set state = excluded.state, folded_seq = excluded.folded_seq, place = excluded.place,
      parent = excluded.parent, cognition = excluded.cognition;
end $$;

create function treeos.write_inbox(entries jsonb) returns void language plpgsql as $$
begin
  insert into inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root, in_reply_to,
      asked_role, hops, continues, cause)
    select i.id, i.being, i.kind, i.priority, i.caller, i."callerRole", i."callerCognition", decode(i.content, 'hex'),
      i.root, i."inReplyTo", i."askedRole", i.hops, i.continues, decode(i.cause, 'hex')
    from jsonb_to_recordset(entries) as i(id text, being text, kind text, priority smallint, caller text,
      "callerRole" text, "callerCognition" text, content text, root text, "inReplyTo" text, "askedRole" text,
      hops integer, continues integer, cause text)
    on conflict (id) do nothing;
end $$;
`

const CLOSE = `
-- Writes the record of a moment, and closes what it was woken by and what it answers.
create function treeos.close_moment(batch jsonb) returns void language plpgsql as $$
declare
  this_moment text := batch->>'moment';
  this_being text := batch->>'being';
  o record;
  said jsonb;
begin
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
    return;
  end if;
  -- An array, not a subquery: with \`or\` that would read the whole inbox. What was closed before stays as it was. A summon
  -- that its role is not opened by is stored: it stays open for whoever answers it, and nothing claims it again.
  update inbox set closed_by = this_moment, closed_at = clock_timestamp()
    where closed_by is null
      and id = any(array_append(array(select jsonb_array_elements_text(batch->'closes')), o.wake))
      and not (id = o.wake and kind = 'summon' and o.reason is not distinct from 'not-triggered');
end $$;

create function treeos.count_waiting(whose text) returns integer language plpgsql stable as $$
declare
  by_anything boolean;
begin
  if whose is null then
    return 0;
  end if;
  -- Counted to a bound: the workflow asks whether to go on, people ask how long the line is.
  by_anything := wakes(whose, 'summon');
  return (select count(*) from (
    select from inbox
    where being = whose and closed_by is null and claimed_by is null and (by_anything or kind = 'act')
    limit 1000) as line);
end $$;
`

const SETTLE = `
-- Keeps what rows say of accounts. A moment that is closed holds nothing any more.
create function treeos.keep_budgets(batch jsonb) returns void language plpgsql as $$
declare
  this_moment text := batch->>'moment';
  keeps boolean := batch->'rows' @? 'strict $[*] ? (@.account.type() == "object")';
  held text[] := '{}';
  open_attempt integer;
begin
  if this_moment is not null and jsonb_typeof(batch->'outcome') = 'object' then
    held := held_by(this_moment);
  end if;
  if not keeps and held = '{}' then
    return;
  end if;
  perform lock_accounts(held || case when keeps then
    array(select substr(r.key, 7) from jsonb_to_recordset(batch->'rows') as r(key text) where r.key like 'being:%')
    else '{}' end);
  if keeps then
    perform keep_accounts(batch->'rows');
  end if;
  for open_attempt in select attempt from reservation where moment = this_moment and settled_at is null loop
    perform settle_locked(this_moment, open_attempt, null, null);
  end loop;
end $$;
`

const RIGHTS = `
revoke execute on function treeos.append(jsonb), treeos.hold(jsonb), treeos.write_facts(text, jsonb),
  treeos.write_rows(jsonb), treeos.write_inbox(jsonb), treeos.close_moment(jsonb), treeos.count_waiting(text),
  treeos.keep_budgets(jsonb) from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'treeos_app') then
    grant execute on function treeos.append(jsonb) to treeos_app;
  end if;
end $$;
`
