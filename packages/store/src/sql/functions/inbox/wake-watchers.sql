-- Wakes the beings that watch one of the changes: [{reel, scopes, paths, values, event}]. Scopes are watched
-- like reels; values are the scalars at some of the paths. Within a second after a change of a reel woke
-- somebody, its changes are held: so a place where much changes wakes each being once a second, and a change
-- writes one row then, however many watch it. The next change after that second brings the held ones along,
-- or release_delayed does.
-- @param guarded the batch comes from a worker: each change that somebody watches must be told by its facts
-- @param wake of the moment, then; a change without a moment has the hash of its fact in its id
-- Returns {woken, heldMs}: the beings that were woken now, and when the first of those who wait is due.
create or replace function treeos.wake_watchers(batch jsonb, guarded boolean, wake treeos.inbox) returns jsonb
language plpgsql as $$
declare
  changes jsonb := batch->'changes';
  one jsonb;
  told jsonb := '[]'; -- of those that wake now
  wait float8;
  held_ms float8;
  woken jsonb;
begin
  -- Most changes have no watcher. Most reels have none at all, which is cheaper to ask.
  if not exists (select from watch where reel = any(array(select jsonb_array_elements_text(
      jsonb_path_query_array(changes, 'strict $[*].reel') || jsonb_path_query_array(changes, 'lax $[*].scopes[*]')))))
    or not exists (
    select from jsonb_array_elements(changes) c, jsonb_array_elements_text(c->'paths') p,
      jsonb_array_elements_text(coalesce(c->'scopes', '[]') || jsonb_build_array(c->'reel')) r
    where exists (select from watch where reel = r and path = p))
  then
    return '{"woken": []}';
  end if;
  if guarded and is_changed(batch, wake) is not true then
    raise exception 'refused: only a fact of moment % is a change', batch->>'moment' using errcode = '42501';
  end if;
  -- The heads of their reels are locked.
  for one in select e || jsonb_build_object('moment', batch->'moment', 'author', batch->'being') from jsonb_array_elements(changes) e loop
    select extract(epoch from woke_at + interval '1 second' - clock_timestamp()) * 1000 into wait from head where reel = one->>'reel';
    if wait > 0 then
      held_ms := least(held_ms, wait);
      insert into held_change (reel, due, change)
        values (one->>'reel', clock_timestamp() + make_interval(secs => wait / 1000), one);
    else
      with gone as (delete from held_change h where h.reel = one->>'reel' returning h.id, h.change held)
        select told || coalesce(jsonb_agg(held order by id), '[]') || one into told from gone;
    end if;
  end loop;
  woken := wake_readers(told);
  return jsonb_build_object('woken', woken->'woken', 'heldMs', least(held_ms, (woken->>'heldMs')::float8));
end $$;
