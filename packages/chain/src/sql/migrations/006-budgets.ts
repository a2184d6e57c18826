import { type Kysely, sql } from 'kysely'

/**
 * Budgets. An account stands for a being that has one: it counts what the being and all its offspring use up. reserve sets
 * the worst case of one attempt of a model call aside on every account up the birth chain, or says which limit it breaks;
 * settle puts the real usage in its place, once. An attempt of which nobody told more is settled at its reservation, by the
 * next attempt of its moment or by the append that closes the moment. claim gives a being nothing while it is parked, or
 * while the minute's moments are used up.
 * Locks are taken in one order everywhere: heads, inbox rows, then accounts by name.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(db)
  await sql.raw(LINE).execute(db)
  await sql.raw(SETTLE).execute(db)
  await sql.raw(RESERVE).execute(db)
  await sql.raw(RESTING).execute(db)
  await sql.raw(CLAIM).execute(db)
  await sql.raw(KEEP).execute(db)
  await sql.raw(APPEND).execute(db)
  await sql.raw(RIGHTS).execute(db)
}

const TABLES = `
-- Money is counted in millionths. What is reserved counts as used; held is how much of that is not settled yet.
create table treeos.account (
  being text primary key,
  revision integer not null,
  moments_max integer,
  tokens_max bigint,
  micros_max bigint,
  per text not null check (per in ('day', 'total')),
  day date,
  day_tokens bigint not null default 0,
  day_micros bigint not null default 0,
  total_tokens bigint not null default 0,
  total_micros bigint not null default 0,
  held_tokens bigint not null default 0,
  held_micros bigint not null default 0,
  minute timestamptz,
  minute_moments integer not null default 0
);
create index account_paced on treeos.account (being) where moments_max is not null;

create table treeos.reservation (
  moment text not null,
  attempt integer not null,
  day date not null,
  accounts text[] not null,
  tokens bigint not null check (tokens >= 0),
  micros bigint not null check (micros >= 0),
  at timestamptz not null default clock_timestamp(),
  settled_tokens bigint,
  settled_micros bigint,
  settled_at timestamptz,
  primary key (moment, attempt)
);
create index reservation_open on treeos.reservation (moment) where settled_at is null;

-- Parked by whose budget; that budget's next change, or the next day, ends it.
create table treeos.parking (
  being text primary key,
  of text not null,
  revision integer not null,
  until timestamptz
);
`

const LINE = `
create function treeos.line_of(whose text) returns text[]
language sql stable set search_path = treeos, pg_temp as $$
  with recursive line(being, hops) as (
    select whose, 0
    union all
    select p.parent, hops + 1 from line join projection p on p.key = 'being:' || line.being
    where p.parent is not null and hops < 64)
  select array_agg(being order by hops) from line
$$;

create function treeos.lock_accounts(names text[]) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  perform 1 from account where being = any(names) order by being collate "C" for update;
end $$;
`

const SETTLE = `
-- The accounts are locked already. The first to settle an attempt is believed; nothing told: at its reservation.
create function treeos.settle_locked(for_moment text, its_attempt integer, used_tokens bigint, used_micros bigint) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  r reservation;
begin
  update reservation set settled_at = clock_timestamp(),
      settled_tokens = coalesce(used_tokens, tokens), settled_micros = coalesce(used_micros, micros)
    where moment = for_moment and attempt = its_attempt and settled_at is null
    returning * into r;
  if not found then
    return;
  end if;
  update account set
      total_tokens = total_tokens + r.settled_tokens - r.tokens,
      total_micros = total_micros + r.settled_micros - r.micros,
      day_tokens = day_tokens + case when day = r.day then r.settled_tokens - r.tokens else 0 end,
      day_micros = day_micros + case when day = r.day then r.settled_micros - r.micros else 0 end,
      held_tokens = held_tokens - r.tokens,
      held_micros = held_micros - r.micros
    where being = any(r.accounts);
end $$;

create function treeos.settle(for_moment text, its_attempt integer, used_tokens bigint, used_micros bigint) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  perform lock_accounts((select accounts from reservation where moment = for_moment and attempt = its_attempt));
  perform settle_locked(for_moment, its_attempt, used_tokens, used_micros);
end $$;

-- Accounts that the unsettled attempts of a moment were counted on.
create function treeos.held_by(for_moment text) returns text[]
language sql stable set search_path = treeos, pg_temp as $$
  select coalesce(array_agg(distinct name), '{}')
  from reservation, unnest(accounts) as name where moment = for_moment and settled_at is null
$$;
`

const RESERVE = `
create function treeos.reserve(whose text, for_moment text, its_attempt integer, need_tokens bigint, need_micros bigint)
returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  line text[] := line_of(whose);
  limited text[];
  earlier integer;
  settled boolean;
  today date;
  midnight timestamptz;
  a account;
  used_tokens bigint;
  used_micros bigint;
  breach jsonb;
  waits jsonb;
begin
  select array_agg(being) into limited from account where being = any(line);
  if limited is null then
    return jsonb_build_object('status', 'free');
  end if;
  -- The append that closes the moment holds this head: what comes after it reserves nothing that nobody would settle.
  perform 1 from head where reel = 'moments:' || whose for share;
  if exists (select from moment_outcome where moment = for_moment) then
    return jsonb_build_object('status', 'over');
  end if;
  perform lock_accounts(limited || held_by(for_moment));
  for earlier in
    select attempt from reservation where moment = for_moment and attempt <> its_attempt and settled_at is null
  loop
    perform settle_locked(for_moment, earlier, null, null);
  end loop;
  select settled_at is not null into settled from reservation where moment = for_moment and attempt = its_attempt;
  if found then
    return jsonb_build_object('status', case when settled then 'over' else 'reserved' end);
  end if;

  select (clock_timestamp() at time zone time_zone)::date into today from reality;
  select ((today + 1)::timestamp at time zone time_zone) into midnight from reality;
  update account set day = today, day_tokens = 0, day_micros = 0
    where being = any(limited) and day is distinct from today;
  for a in select * from account where being = any(limited) order by array_position(line, being) loop
    used_tokens := case a.per when 'day' then a.day_tokens else a.total_tokens end;
    used_micros := case a.per when 'day' then a.day_micros else a.total_micros end;
    breach := null;
    if used_tokens + need_tokens > a.tokens_max then
      breach := jsonb_build_object('limit', 'tokens', 'max', a.tokens_max, 'used', used_tokens, 'held', a.held_tokens,
        'needs', need_tokens);
    elsif a.micros_max is not null and (need_micros is null or used_micros + need_micros > a.micros_max) then
      breach := jsonb_build_object('limit', 'money', 'max', a.micros_max, 'used', used_micros, 'held', a.held_micros,
        'needs', need_micros);
    end if;
    if breach is not null then
      breach := breach || jsonb_build_object('of', a.being, 'revision', a.revision, 'per', a.per,
        'until', case a.per when 'day' then (extract(epoch from midnight) * 1000)::bigint end);
      -- What calls under way hold may come back. Only what would not fit without them is too much, the rest can wait.
      if need_micros is null and breach->>'limit' = 'money' or (breach->>'used')::bigint - (breach->>'held')::bigint
        + (breach->>'needs')::bigint > (breach->>'max')::bigint
      then
        return breach || jsonb_build_object('status', 'breach');
      end if;
      waits := coalesce(waits, breach);
    end if;
  end loop;
  if waits is not null then
    return waits || jsonb_build_object('status', 'waits');
  end if;

  insert into reservation (moment, attempt, day, accounts, tokens, micros)
    values (for_moment, its_attempt, today, limited, need_tokens, coalesce(need_micros, 0));
  update account set
      day_tokens = day_tokens + need_tokens, total_tokens = total_tokens + need_tokens,
      held_tokens = held_tokens + need_tokens,
      day_micros = day_micros + coalesce(need_micros, 0), total_micros = total_micros + coalesce(need_micros, 0),
      held_micros = held_micros + coalesce(need_micros, 0)
    where being = any(limited);
  return jsonb_build_object('status', 'reserved');
end $$;
`

const RESTING = `
create function treeos.is_parked(whose text) returns boolean
language sql stable set search_path = treeos, pg_temp as $$
  select exists (
    select from parking p join account a on a.being = p.of
    where p.being = whose and p.revision = a.revision and (p.until is null or clock_timestamp() < p.until))
$$;

create function treeos.is_paced(whose text) returns boolean
language plpgsql stable set search_path = treeos, pg_temp as $$
begin
  if not exists (select from account where moments_max is not null) then
    return false;
  end if;
  return exists (
    select from account
    where being = any(line_of(whose)) and minute = date_trunc('minute', clock_timestamp()) and minute_moments >= moments_max);
end $$;

-- Counts one moment on every account up the birth chain that has a pace, or none and says no.
create function treeos.take_pace(whose text) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  paced text[];
  this_minute timestamptz;
begin
  if not exists (select from account where moments_max is not null) then
    return true;
  end if;
  select array_agg(being) into paced from account where being = any(line_of(whose)) and moments_max is not null;
  if paced is null then
    return true;
  end if;
  perform lock_accounts(paced);
  this_minute := date_trunc('minute', clock_timestamp());
  if exists (select from account
    where being = any(paced) and minute_moments >= moments_max and minute = this_minute)
  then
    return false;
  end if;
  update account set minute = this_minute,
      minute_moments = case when minute = this_minute then minute_moments + 1 else 1 end
    where being = any(paced);
  return true;
end $$;
`

// As in 002; and a being that may not open a moment now claims nothing but what a person chose.
const CLAIM = `
create or replace function treeos.claim(whose text, for_moment text, its_generation integer) returns setof treeos.inbox
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  claimed inbox;
  by_anything boolean := wakes(whose, 'summon') and not is_parked(whose);
begin
  -- One claim at a time: two runs of one moment would else take a wake each.
  perform 1 from head where reel = 'moments:' || whose for update;
  if living(whose) is distinct from its_generation then
    raise exception 'generation % of % is over, % lives', its_generation, whose, living(whose) using errcode = 'TR003';
  end if;
  select * into claimed from inbox where claimed_by = for_moment;
  if not found then
    select * into claimed from inbox
      where being = whose and closed_by is null and claimed_by is null and (by_anything or kind = 'act')
      order by priority, age limit 1 for update skip locked;
    if found and (claimed.kind = 'act' or take_pace(whose)) then
      update inbox set claimed_by = for_moment where id = claimed.id returning * into claimed;
    else
      return;
    end if;
  end if;
  return next claimed;
end $$;
`

const KEEP = `
-- What rows say of accounts: batch rows may have {account: {revision, momentsPerMinute, tokens, micros, per, parked}}.
create function treeos.keep_accounts(rows jsonb) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  insert into account (being, revision, moments_max, tokens_max, micros_max, per)
    select substr(r.key, 7), (r.account->>'revision')::integer, (r.account->>'momentsPerMinute')::integer,
      (r.account->>'tokens')::bigint, (r.account->>'micros')::bigint, r.account->>'per'
    from jsonb_to_recordset(rows) as r(key text, account jsonb)
    where jsonb_typeof(r.account) = 'object' and (r.account->>'revision')::integer > 0
    order by r.key collate "C"
    on conflict (being) do update set revision = excluded.revision, moments_max = excluded.moments_max,
      tokens_max = excluded.tokens_max, micros_max = excluded.micros_max, per = excluded.per;
  delete from parking where being in (
    select substr(r.key, 7) from jsonb_to_recordset(rows) as r(key text, account jsonb)
    where jsonb_typeof(r.account) = 'object');
  insert into parking (being, of, revision, until)
    select substr(r.key, 7), p.of, p.revision, to_timestamp(p.until / 1000.0)
    from jsonb_to_recordset(rows) as r(key text, account jsonb),
      jsonb_to_record(case jsonb_typeof(r.account->'parked') when 'object' then r.account->'parked' else '{}' end)
        as p(of text, revision integer, until bigint)
    where p.of is not null;
end $$;
`

// As in 005, and the accounts. A moment that is closed holds nothing any more.
const APPEND = `
alter function treeos.append(jsonb) rename to append_unbudgeted;
create function treeos.append(batch jsonb) returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  answer jsonb := append_unbudgeted(batch);
  this_moment text := batch->>'moment';
  keeps boolean;
  held text[] := '{}';
  open_attempt integer;
begin
  if answer->>'status' <> 'appended' then
    return answer;
  end if;
  keeps := batch->'rows' @? 'strict $[*] ? (@.account.type() == "object")';
  if this_moment is not null and jsonb_typeof(batch->'outcome') = 'object' then
    held := held_by(this_moment);
  end if;
  if not keeps and held = '{}' then
    return answer;
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
  return answer;
end $$;
`

const RIGHTS = `
revoke execute on function treeos.line_of(text), treeos.lock_accounts(text[]), treeos.settle_locked(text, integer, bigint, bigint),
  treeos.settle(text, integer, bigint, bigint), treeos.held_by(text), treeos.reserve(text, text, integer, bigint, bigint),
  treeos.is_parked(text), treeos.is_paced(text), treeos.take_pace(text), treeos.keep_accounts(jsonb), treeos.append(jsonb),
  treeos.append_unbudgeted(jsonb) from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'treeos_app') then
    revoke execute on function treeos.append_unbudgeted(jsonb) from treeos_app;
    grant select on treeos.account, treeos.reservation, treeos.parking to treeos_app;
    grant execute on function treeos.append(jsonb), treeos.reserve(text, text, integer, bigint, bigint),
      treeos.settle(text, integer, bigint, bigint), treeos.line_of(text), treeos.is_parked(text), treeos.is_paced(text)
      to treeos_app;
  end if;
end $$;
`
