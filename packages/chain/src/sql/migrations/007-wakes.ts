import { type Kysely, sql } from 'kysely'

/**
 * What else wakes a being than a summon or a change of what its flow reads: schedules, which Temporal keeps the clock of,
 * and subscriptions, which are watches with conditions. A row's watches may say `subscription: {name, equals, priority,
 * coalesceSeconds}`; a change may say `scopes`, which are watched like reels, and `values`, the scalars at its paths.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SCHEDULING).execute(db)
  await sql.raw(SUBSCRIPTIONS).execute(db)
  await sql.raw(WAKE).execute(db)
  await sql.raw(RELEASE).execute(db)
  await sql.raw(STORING).execute(db)
  await sql.raw(RIGHTS).execute(db)
}

const SCHEDULING = `
-- Few of many beings have a schedule. A row is canonical JSON, so text says whether one may; a row in which only a
-- content says so is read in vain.
create index projection_scheduling on treeos.projection (key)
  where key like 'being:%' and state like '%"schedule":{%';
`

const SUBSCRIPTIONS = `
alter table treeos.watch
  add name text not null default '', -- of the subscription; empty where a flow reads the path
  add equals jsonb, -- scalars: only a change to one of them wakes
  add priority smallint,
  add coalesce_seconds integer not null default 0;
alter table treeos.watch drop constraint watch_pkey, add primary key (reel, path, being, name);

-- A wake that waits for more changes: one a being, apart from the inbox, so that nothing there has to know of it.
create table treeos.delayed (
  being text primary key,
  due timestamptz not null,
  id text not null,
  priority smallint not null,
  content bytea not null,
  root text not null,
  hops integer not null,
  cause bytea
);
create index delayed_due on treeos.delayed (due);

create or replace function treeos.keep_watches(rows jsonb) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  delete from watch where being in (
    select substr(r.key, 7) from jsonb_to_recordset(rows) as r(key text, watches jsonb)
    where jsonb_typeof(r.watches) = 'array');
  insert into watch (being, reel, path, name, equals, priority, coalesce_seconds)
    select substr(r.key, 7), w.reel, w.path, coalesce(s.name, ''), nullif(s.equals, 'null'), s.priority,
      coalesce(s."coalesceSeconds", 0)
    from jsonb_to_recordset(rows) as r(key text, watches jsonb),
      jsonb_to_recordset(case jsonb_typeof(r.watches) when 'array' then r.watches else '[]' end)
        as w(reel text, path text, subscription jsonb),
      jsonb_to_record(coalesce(w.subscription, '{}'))
        as s(name text, equals jsonb, priority smallint, "coalesceSeconds" integer)
    on conflict do nothing;
end $$;
`

const WAKE = `
create or replace function treeos.wake_watchers(its_moment text, changes jsonb) returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  woken jsonb;
begin
  with change as (
    select c.ordinality, c.value->'event' event, c.value->'values' now_is,
      array(select jsonb_array_elements_text(c.value->'paths')) paths,
      array_append(array(select jsonb_array_elements_text(coalesce(c.value->'scopes', '[]'))), c.value->>'reel') reels
    from jsonb_array_elements(changes) with ordinality as c
  ), told as (
    select w.being, c.ordinality, c.event, coalesce(w.priority, (c.event->>'priority')::smallint) priority,
      w.coalesce_seconds wait
    from change c join watch w on w.reel = any(c.reels) and w.path = any(c.paths)
    where w.equals is null or (c.now_is ? w.path and w.equals @> (c.now_is->w.path))
  ), watcher as (
    -- One wake a being: as soon and as urgent as any of what it asked for has it.
    select being, min(priority) priority, min(wait) wait, (array_agg(event order by ordinality))[1] event
    from told group by being
  ), waiting as (
    -- Locked, so that none of them is claimed before this change can be seen; one that was claimed meanwhile drops out.
    select i.being, i.id from inbox i
    where i.being in (select being from watcher)
      and i.closed_by is null and i.claimed_by is null and i.kind = 'event' and i.id like 'change/%'
    order by i.being, i.id for update
  ), hastened as (
    update inbox i set priority = w.priority
    from waiting t join watcher w using (being) where i.id = t.id and i.priority > w.priority
  ), fresh as (
    select * from watcher where being not in (select being from waiting)
  ), delayed_more as (
    insert into delayed as d (being, due, id, priority, content, root, hops, cause)
    select w.being, clock_timestamp() + make_interval(secs => w.wait), 'change/' || its_moment || '/' || w.being,
      w.priority, convert_to(w.event->>'content', 'UTF8'), w.event->>'root', (w.event->>'hops')::integer,
      decode(w.event->>'cause', 'hex')
    from fresh w where w.wait > 0
    order by w.being
    on conflict (being) do update set due = least(d.due, excluded.due), priority = least(d.priority, excluded.priority)
  ), overtaken as (
    -- The moment that is woken now sees what the other wake waited for.
    delete from delayed where being in (select being from watcher where wait = 0)
  ), added as (
    insert into inbox (id, being, kind, priority, content, root, hops, cause)
    select 'change/' || its_moment || '/' || w.being, w.being, 'event', w.priority,
      convert_to(w.event->>'content', 'UTF8'), w.event->>'root', (w.event->>'hops')::integer, decode(w.event->>'cause', 'hex')
    from fresh w where w.wait = 0
    order by w.being
    on conflict (id) do nothing
  )
  select coalesce(jsonb_agg(being) filter (where wait = 0), '[]') into woken from watcher;
  return woken;
end $$;
`

const RELEASE = `
create function treeos.release_delayed() returns setof text
language sql volatile security definer set search_path = treeos, pg_temp as $$
  with due as (
    delete from delayed where due <= clock_timestamp() returning *
  )
  insert into inbox (id, being, kind, priority, content, root, hops, cause)
    select d.id, d.being, 'event', d.priority, d.content, d.root, d.hops, d.cause
    from due d
    where not exists (select from inbox i where i.being = d.being
      and i.closed_by is null and i.claimed_by is null and i.kind = 'event' and i.id like 'change/%')
    order by d.being
    on conflict (id) do nothing
    returning being;
$$;
`

// A summon that the role is not opened by is stored: its moment is over, it stays open for whoever answers it, and nothing
// claims it again.
const STORING = `
alter function treeos.append(jsonb) rename to append_closing;
create function treeos.append(batch jsonb) returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  answer jsonb := append_closing(batch);
begin
  if answer->>'status' = 'appended' and batch#>>'{outcome,reason}' = 'not-triggered' then
    update inbox set closed_by = null, closed_at = null
      where id = batch#>>'{outcome,wake}' and kind = 'summon' and closed_by = batch->>'moment';
  end if;
  return answer;
end $$;
`

const RIGHTS = `
revoke execute on function treeos.release_delayed(), treeos.append(jsonb) from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'treeos_app') then
    revoke execute on function treeos.append_closing(jsonb) from treeos_app;
    grant execute on function treeos.release_delayed(), treeos.append(jsonb) to treeos_app;
  end if;
end $$;
`
