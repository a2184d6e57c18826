-- Puts a wake of a being by itself into its inbox, once for its id: after a silence, or by a schedule.
-- Returns false when the id is taken. It says what the being's row says, and nothing else. All other wakes
-- are written by append, with what caused them.
create or replace function treeos.enqueue_event(entry jsonb) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  w inbox := jsonb_populate_record(null::inbox, entry);
begin
  if w.kind is distinct from 'event' then
    raise exception 'refused: a wake of kind % is written by the act that sends it', w.kind using errcode = '42501';
  end if;
  perform require_plain_wake(w);
  if is_own_event(w) is not true then
    raise exception 'refused: the being % has no wake % with this content by itself', w.being, w.id using errcode = '42501';
  end if;
  insert into inbox (id, being, kind, priority, content, root)
    values (w.id, w.being, w.kind, w.priority, w.content, w.root)
    on conflict (id) do nothing;
  return found;
end $$;
