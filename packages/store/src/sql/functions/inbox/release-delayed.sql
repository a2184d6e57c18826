-- Moves delayed wakes that are due into the inboxes. A being with a waiting wake by change needs no second
-- one: that one then stands for these changes too. Returns the beings that got a wake. It also deletes sealed
-- texts that wait for nothing any more, as where a process ended between sealing and acting.
create or replace function treeos.release_delayed() returns setof text
language sql volatile security definer set search_path = treeos, pg_temp as $$
  delete from sealed_text s where s.wake is not null and s.at < clock_timestamp() - interval '10 minutes' and s.wake not like 'approved/%'
    and not exists (select from inbox i where i.id = s.wake and i.closed_by is null);
  with due as (
    delete from delayed where due <= clock_timestamp() returning *
  ), counted as (
    update inbox i set times = i.times + d.times, outside = i.outside or d.outside
    from due d where i.being = d.being
      and i.closed_by is null and i.claimed_by is null and i.kind = 'event' and i.id like 'change/%'
  )
  insert into inbox (id, being, kind, priority, content, root, hops, cause, times, outside)
    select d.id, d.being, 'event', d.priority, d.content, d.root, d.hops, d.cause, d.times, d.outside
    from due d
    where not exists (select from inbox i where i.being = d.being
      and i.closed_by is null and i.claimed_by is null and i.kind = 'event' and i.id like 'change/%')
    order by d.being
    on conflict (id) do nothing
    returning being;
$$;
