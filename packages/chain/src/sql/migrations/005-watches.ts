import { type Kysely, sql } from 'kysely'

/**
 * Wakes by change. `watch` says which being's flow reads which path of which reel; the appends that change a flow or a place
 * keep it, and hold the heads of the watched reels while they do, so that it is settled whether a change came before.
 * The append that changes a value wakes the watchers itself: batch gets `changes: [{reel, paths, event}]`, and each row may
 * get `watches: [{reel, path}]`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(WATCH).execute(db)
  await sql.raw(KEEP).execute(db)
  await sql.raw(WAKE).execute(db)
  await sql.raw(APPEND).execute(db)
  await sql.raw(RIGHTS).execute(db)
}

const WATCH = `
create table treeos.watch (
  being text not null,
  reel text not null,
  path text not null, -- dotted, within the values of the reel's row; empty for all of them
  primary key (reel, path, being)
);
create index watch_being on treeos.watch (being);
-- A wake by change that waits takes all later changes with it: the moment it opens sees them all.
create index inbox_change on treeos.inbox (being)
  where closed_by is null and claimed_by is null and kind = 'event' and id like 'change/%';
`

const KEEP = `
create function treeos.keep_watches(rows jsonb) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  delete from watch where being in (
    select substr(r.key, 7) from jsonb_to_recordset(rows) as r(key text, watches jsonb)
    where jsonb_typeof(r.watches) = 'array');
  insert into watch (being, reel, path)
    select substr(r.key, 7), w.reel, w.path
    from jsonb_to_recordset(rows) as r(key text, watches jsonb),
      jsonb_to_recordset(case jsonb_typeof(r.watches) when 'array' then r.watches else '[]' end) as w(reel text, path text)
    on conflict do nothing;
end $$;
`

const WAKE = `
create function treeos.wake_watchers(its_moment text, changes jsonb) returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  woken jsonb;
begin
  with change as (
    select c.ordinality, c.value->>'reel' reel, c.value->'event' event,
      array(select jsonb_array_elements_text(c.value->'paths')) paths
    from jsonb_array_elements(changes) with ordinality as c
  ), watcher as (
    select distinct on (w.being) w.being, c.event
    from change c join watch w on w.reel = c.reel and w.path = any(c.paths)
    order by w.being, c.ordinality
  ), waiting as (
    -- Locked, so that none of them is claimed before this change can be seen; one that was claimed meanwhile drops out.
    select i.being from inbox i
    where i.being in (select being from watcher)
      and i.closed_by is null and i.claimed_by is null and i.kind = 'event' and i.id like 'change/%'
    order by i.being, i.id for update
  ), added as (
    insert into inbox (id, being, kind, priority, content, root, hops, cause)
    select 'change/' || its_moment || '/' || w.being, w.being, 'event', (w.event->>'priority')::smallint,
      convert_to(w.event->>'content', 'UTF8'), w.event->>'root', (w.event->>'hops')::integer, decode(w.event->>'cause', 'hex')
    from watcher w where w.being not in (select being from waiting)
    order by w.being
    on conflict (id) do nothing
    returning being
  )
  select coalesce(jsonb_agg(being), '[]') into woken from watcher;
  return woken;
end $$;
`

// As in 003, and the wakes of what changed. What an append did not ask of the watches costs it nothing.
const APPEND = `
alter function treeos.append(jsonb) rename to append_unwatched;
create function treeos.append(batch jsonb) returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  answer jsonb := append_unwatched(batch);
  woken jsonb := '[]';
begin
  if answer->>'status' <> 'appended' then
    return answer;
  end if;
  if batch->'rows' @? 'strict $[*] ? (@.watches.type() == "array")' then
    perform keep_watches(batch->'rows');
  end if;
  if jsonb_array_length(batch->'changes') > 0 then
    woken := wake_watchers(batch->>'moment', batch->'changes');
  end if;
  return answer || jsonb_build_object('woken', woken);
end $$;
`

const RIGHTS = `
revoke execute on function treeos.keep_watches(jsonb), treeos.wake_watchers(text, jsonb), treeos.append(jsonb),
  treeos.append_unwatched(jsonb) from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'treeos_app') then
    revoke execute on function treeos.append_unwatched(jsonb) from treeos_app;
    grant select on treeos.watch to treeos_app;
    grant execute on function treeos.append(jsonb) to treeos_app;
  end if;
end $$;
`
