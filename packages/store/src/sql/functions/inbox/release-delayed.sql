-- Moves delayed wakes that are due into the inboxes. A being with a waiting wake by change needs no second one:
-- that one then stands for these changes too.
-- Returns the beings that got a wake.
create or replace function treeos.release_delayed() returns setof text
language sql volatile security definer set search_path = treeos, pg_temp as $$
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
