-- Tells the held changes that are due, and moves delayed wakes that are due into the inboxes. A being with a
-- waiting wake by change needs no second one: that one then stands for these changes too.
-- @param sweeps also deletes sealed texts that wait for nothing any more, as where a process ended between
--   sealing and acting; and, one time in ten, lets go what nobody took up
-- Returns {woken, nextMs}: the beings that got a wake, and when the next of all those is due.
create or replace function treeos.release_delayed(sweeps boolean) returns jsonb
language plpgsql volatile security definer set search_path = treeos, pg_temp as $$
declare
  reels text[];
  changes jsonb;
  woken jsonb;
  nothing text;
begin
  if sweeps then
    delete from sealed_text s where s.wake is not null and s.at < clock_timestamp() - interval '10 minutes' and s.wake not like 'approved/%'
      and not exists (select from inbox i where i.id = s.wake and i.closed_by is null);
  end if;
  -- All functions lock heads first, so those of all reels are locked before anything else.
  reels := array(select distinct reel from held_change where due <= clock_timestamp());
  if reels <> '{}' then
    nothing := lock_heads(reels);
    with gone as (delete from held_change where reel = any(reels) returning id, change)
      select coalesce(jsonb_agg(change order by id), '[]') into changes from gone;
    woken := wake_readers(changes)->'woken';
  end if;
  if sweeps and random() < 0.1 then
    woken := coalesce(woken, '[]') || let_go_late();
  end if;
  with due as (
    delete from delayed where due <= clock_timestamp() returning *
  ), counted as (
    update inbox i set times = i.times + d.times, outside = i.outside or d.outside
    from due d where i.being = d.being
      and i.closed_by is null and i.claimed_by is null and i.kind = 'event' and i.id like 'change/%'
  ), added as (
    insert into inbox (id, being, kind, priority, content, root, hops, cause, times, outside)
    select d.id, d.being, 'event', d.priority, d.content, d.root, d.hops, d.cause, d.times, d.outside
    from due d
    where not exists (select from inbox i where i.being = d.being
      and i.closed_by is null and i.claimed_by is null and i.kind = 'event' and i.id like 'change/%')
    order by d.being
    on conflict (id) do nothing
    returning being
  ), woke as (
    insert into change_reader (being, woken_at) select being, clock_timestamp() from added order by being
    on conflict (being) do update set woken_at = excluded.woken_at
  )
  select coalesce(woken, '[]') || coalesce(jsonb_agg(being), '[]') into woken from added;
  return jsonb_build_object('woken', woken, 'nextMs', (
    select greatest(0, extract(epoch from min(due) - clock_timestamp()) * 1000) from (
      select min(due) due from held_change union all select min(due) from delayed) d having min(due) is not null));
end $$;
