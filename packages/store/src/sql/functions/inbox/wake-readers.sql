-- Wakes the beings that watch one of these changes, oldest first: as wake_watchers gets them, each with its
-- moment and author. A being with a waiting wake by change gets no second one: `times` counts the changes
-- that the wake stands for. Nobody is woken by changes twice in a second. What the beings of one person change
-- wakes the beings of others 600 times a minute: what is more waits in `delayed` for its place, in which it
-- takes the changes that come meanwhile along. The first operator made all beings, so nobody is another's.
-- Returns {woken, heldMs} as wake_watchers.
create or replace function treeos.wake_readers(changes jsonb) returns jsonb language plpgsql set enable_hashjoin = on as $$
declare
  at_once timestamptz := clock_timestamp();
  authors jsonb; -- by author the person that is bounded; of others null
  answer jsonb;
  nothing text;
begin
  if changes = '[]' then
    return '{"woken": []}';
  end if;
  select jsonb_object_agg(a.author, p.person) into authors
    from (select distinct c->>'author' author from jsonb_array_elements(changes) c where c->>'author' is not null) a
      cross join lateral (
        select case when p.parent is not null then substr(p.key, 7) end person
        from unnest(line_of(a.author)) with ordinality as l(being, hops) join projection p on p.key = 'being:' || l.being
        where p.cognition = 'human' order by l.hops limit 1) p
    where p.person is not null;
  if authors is not null then
    insert into change_author (person, free_at) select value, at_once - interval '1 minute' from jsonb_each_text(authors) order by 1
      on conflict do nothing;
    nothing := (select max(person) from (
      select person from change_author where person in (select value from jsonb_each_text(authors)) order by person for update) l);
  end if;
  with change as (
    select c.ordinality, c.value->'event' event, c.value->'values' now_is, c.value->>'moment' its_moment, c.value->>'reel' reel,
      authors->>(c.value->>'author') person,
      array(select jsonb_array_elements_text(c.value->'paths')) paths,
      array_append(array(select jsonb_array_elements_text(coalesce(c.value->'scopes', '[]'))), c.value->>'reel') reels
    from jsonb_array_elements(changes) with ordinality as c
  ), matched as (
    select w.being, c.ordinality, c.reel, c.event, c.its_moment, c.person,
      coalesce(w.priority, (c.event->>'priority')::smallint) priority, w.coalesce_seconds wait
    from change c join watch w on w.reel = any(c.reels) and w.path = any(c.paths)
    where w.equals is null or (c.now_is ? w.path and w.equals @> (c.now_is->w.path))
  ), told as (
    update head set woke_at = at_once where reel in (select reel from matched)
  ), watcher as (
    -- One wake for each being, with the shortest delay and the highest priority of its matching watches.
    select being, min(priority) priority, min(wait) wait, (array_agg(event order by ordinality))[1] event,
      (array_agg(its_moment order by ordinality))[1] its_moment, (array_agg(person order by ordinality))[1] person,
      bool_or(coalesce((event->>'outside')::boolean, false)) outside,
      count(distinct ordinality)::integer times
    from matched group by being
  ), waiting as (
    -- Locked, so that none is claimed before this change is visible. One that was claimed meanwhile is left
    -- out.
    select i.being, i.id from inbox i
    where i.being in (select being from watcher)
      and i.closed_by is null and i.claimed_by is null and i.kind = 'event' and i.id like 'change/%'
    order by i.being, i.id for update
  ), fresh as (
    select w.*, d.due had_due, coalesce(d.paced, false) paced_before,
      greatest(at_once + make_interval(secs => w.wait), r.woken_at + interval '1 second') may_at
    from watcher w left join change_reader r using (being) left join delayed d using (being)
    where w.being not in (select being from waiting)
  ), place as (
    -- A being that waits for its place already needs no other one.
    select f.being, f.person, greatest(a.free_at, at_once - interval '1 minute')
      + row_number() over (partition by f.person order by f.being) * interval '0.1 second' due
    from fresh f join change_author a on a.person = f.person
    where not f.paced_before and f.person <> all(line_of(f.being))
  ), taken as (
    update change_author a set free_at = p.due from (select person, max(due) due from place group by person) p where p.person = a.person
  ), timed as (
    select f.*, p.due > at_once paced, case when f.paced_before and f.person is not null then greatest(f.had_due, f.may_at)
      else greatest(f.may_at, p.due) end due
    from fresh f left join place p using (being)
  ), late as (
    insert into delayed as d (being, due, id, priority, content, root, hops, cause, times, outside, paced)
    select w.being, w.due, 'change/' || coalesce(w.its_moment, w.event->>'cause') || '/' || w.being,
      w.priority, convert_to(w.event->>'content', 'UTF8'), w.event->>'root', (w.event->>'hops')::integer,
      decode(w.event->>'cause', 'hex'), w.times, w.outside, coalesce(w.paced, false)
    from timed w where w.due > at_once
    order by w.being
    on conflict (being) do update set due = least(d.due, excluded.due), priority = least(d.priority, excluded.priority),
      times = d.times + excluded.times, outside = d.outside or excluded.outside, paced = d.paced or excluded.paced
    returning d.due
  ), overtaken as (
    -- A wake in the inbox also covers what the delayed wake waited for.
    delete from delayed where being in (select being from waiting union all select being from timed where due <= at_once)
    returning being, times, outside
  ), counted as (
    update inbox i set priority = least(i.priority, w.priority), times = i.times + w.times + coalesce(o.times, 0),
      outside = i.outside or w.outside or coalesce(o.outside, false)
    from waiting t join watcher w using (being) left join overtaken o using (being) where i.id = t.id
  ), added as (
    insert into inbox (id, being, kind, priority, content, root, hops, cause, times, outside)
    select 'change/' || coalesce(w.its_moment, w.event->>'cause') || '/' || w.being, w.being, 'event', w.priority,
      convert_to(w.event->>'content', 'UTF8'), w.event->>'root', (w.event->>'hops')::integer, decode(w.event->>'cause', 'hex'),
      w.times + coalesce(o.times, 0), w.outside or coalesce(o.outside, false)
    from timed w left join overtaken o using (being) where w.due <= at_once
    order by w.being
    on conflict (id) do nothing
    returning being
  ), woke as (
    insert into change_reader (being, woken_at) select being, at_once from added order by being
    on conflict (being) do update set woken_at = excluded.woken_at
  )
  select jsonb_build_object('woken', coalesce((select jsonb_agg(being order by being) from (
      select being from added union select being from waiting) w), '[]'),
    'heldMs', (select extract(epoch from min(due) - at_once) * 1000 from late)) into answer;
  return answer;
end $$;
