-- Wakes the beings that watch one of the changes: [{reel, scopes, paths, values, event}]. Scopes are watched
-- like reels; values are the scalars at some of the paths. A being with a waiting wake by change gets no
-- second one: `times` counts the changes that the wake stands for.
-- @param guarded the batch comes from a worker: each change that somebody watches must be told by its facts
-- @param wake of the moment, then; a change without a moment has the hash of its fact in its id
-- Returns the beings that were woken now, without those whose wake waits for more changes.
create or replace function treeos.wake_watchers(batch jsonb, guarded boolean, wake treeos.inbox) returns jsonb
language plpgsql as $$
declare
  its_moment text := batch->>'moment';
  changes jsonb := batch->'changes';
  woken jsonb;
begin
  -- Most changes have no watcher. Most reels have none at all, which is cheaper to ask. The statement
  -- by `with` below costs more than ten times as much.
  if not exists (select from watch where reel = any(array(select jsonb_array_elements_text(
      jsonb_path_query_array(changes, 'strict $[*].reel') || jsonb_path_query_array(changes, 'lax $[*].scopes[*]')))))
    or not exists (
    select from jsonb_array_elements(changes) c, jsonb_array_elements_text(c->'paths') p,
      jsonb_array_elements_text(coalesce(c->'scopes', '[]') || jsonb_build_array(c->'reel')) r
    where exists (select from watch where reel = r and path = p))
  then
    return '[]';
  end if;
  if guarded and is_changed(batch, wake) is not true then
    raise exception 'refused: only a fact of moment % is a change', its_moment using errcode = '42501';
  end if;
  with change as (
    select c.ordinality, c.value->'event' event, c.value->'values' now_is,
      array(select jsonb_array_elements_text(c.value->'paths')) paths,
      array_append(array(select jsonb_array_elements_text(coalesce(c.value->'scopes', '[]'))), c.value->>'reel') reels
    from jsonb_array_elements(changes) with ordinality as c
  ), matched as (
    select w.being, c.ordinality, c.event, coalesce(w.priority, (c.event->>'priority')::smallint) priority,
      w.coalesce_seconds wait
    from change c join watch w on w.reel = any(c.reels) and w.path = any(c.paths)
    where w.equals is null or (c.now_is ? w.path and w.equals @> (c.now_is->w.path))
  ), watcher as (
    -- One wake for each being, with the shortest delay and the highest priority of its matching watches.
    select being, min(priority) priority, min(wait) wait, (array_agg(event order by ordinality))[1] event,
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
  ), counted as (
    update inbox i set priority = least(i.priority, w.priority), times = i.times + w.times,
      outside = i.outside or w.outside
    from waiting t join watcher w using (being) where i.id = t.id
  ), fresh as (
    select * from watcher where being not in (select being from waiting)
  ), delayed_more as (
    insert into delayed as d (being, due, id, priority, content, root, hops, cause, times, outside)
    select w.being, clock_timestamp() + make_interval(secs => w.wait), 'change/' || coalesce(its_moment, w.event->>'cause') || '/' || w.being,
      w.priority, convert_to(w.event->>'content', 'UTF8'), w.event->>'root', (w.event->>'hops')::integer,
      decode(w.event->>'cause', 'hex'), w.times, w.outside
    from fresh w where w.wait > 0
    order by w.being
    on conflict (being) do update set due = least(d.due, excluded.due), priority = least(d.priority, excluded.priority),
      times = d.times + excluded.times, outside = d.outside or excluded.outside
  ), overtaken as (
    -- The wake of now also covers what the delayed wake waited for.
    delete from delayed where being in (select being from watcher where wait = 0) returning being, times, outside
  ), added as (
    insert into inbox (id, being, kind, priority, content, root, hops, cause, times, outside)
    select 'change/' || coalesce(its_moment, w.event->>'cause') || '/' || w.being, w.being, 'event', w.priority,
      convert_to(w.event->>'content', 'UTF8'), w.event->>'root', (w.event->>'hops')::integer, decode(w.event->>'cause', 'hex'),
      w.times + coalesce(o.times, 0), w.outside or coalesce(o.outside, false)
    from fresh w left join overtaken o using (being) where w.wait = 0
    order by w.being
    on conflict (id) do nothing
  )
  select coalesce(jsonb_agg(being) filter (where wait = 0), '[]') into woken from watcher;
  return woken;
end $$;
