-- Puts a wake that no act sent into an inbox, once for its id: an act of a person, or a being's own event. Returns false when
-- the id is taken. A summon, a notice and a wake by change are written by append alone, with the fact that caused them.
create or replace function treeos.enqueue(entry jsonb) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  w inbox := jsonb_populate_record(null::inbox, entry);
  kind_of_mind text;
  lease json;
begin
  if w.kind is null or w.kind not in ('act', 'event') then
    raise exception 'refused: a wake of kind % is written by the act that sends it', w.kind using errcode = '42501';
  end if;
  if num_nonnulls(w.caller, w.caller_role, w.caller_cognition, w.in_reply_to, w.asked_role, w.cause, w.notice, w.answers) > 0
    or (w.hops, w.continues, coalesce(w.looks, 0)) is distinct from (0, 0, 0) or w.priority not between 1 and 9
    or octet_length(w.content) > 262144
  then
    raise exception 'refused: a wake without an act has no caller, cause or hops, and at most 262144 bytes'
      using errcode = '42501';
  end if;
  select cognition into kind_of_mind from projection where key = 'being:' || w.being;
  if not found then
    raise exception 'refused: no being % lives in this reality', w.being using errcode = '42501';
  end if;
  if w.kind = 'event' and w.id ~ '^(notice|parked|spent|chain-spent|dropped|change|continue|act)/' then
    raise exception 'refused: an event with the id % is written by append', w.id using errcode = '42501';
  end if;
  if w.kind = 'act' and kind_of_mind is distinct from 'human' then
    lease := convert_from(w.content, 'UTF8')::json -> 'lease';
    if not exists (select from lease l where l.being = w.being and l.driver = lease ->> 'driver')
      or lease_is_valid(w.being, (lease ->> 'epoch')::integer) is not true
    then
      raise exception 'refused: % is not a person, and nobody drives it under this lease', w.being using errcode = '42501';
    end if;
  end if;
  insert into inbox (id, being, kind, priority, content, root)
    values (w.id, w.being, w.kind, w.priority, w.content, w.root)
    on conflict (id) do nothing;
  return found;
end $$;
