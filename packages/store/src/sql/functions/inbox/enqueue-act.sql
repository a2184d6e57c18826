-- Puts an act of a person into an inbox, once for its id. Returns false when the id is taken. It keeps which
-- login put it there. Only logins that act for persons may call it, and no worker: see rights.sql.
create or replace function treeos.enqueue_act(entry jsonb) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  w inbox := jsonb_populate_record(null::inbox, entry);
  kind_of_mind text;
  lease json;
begin
  if w.kind is distinct from 'act' then
    raise exception 'refused: a wake of kind % is not an act of a person', w.kind using errcode = '42501';
  end if;
  perform require_plain_wake(w);
  -- Any other id could be one that a wake of TreeOS will have, which then would not come.
  if (w.id ~ '^act/[^/]+$' and w.root in (w.id, substr(w.id, 5))) is not true then
    raise exception 'refused: the id of an act is act/ and a text without a slash, and it begins a thread of its own'
      using errcode = '42501';
  end if;
  select cognition into kind_of_mind from projection where key = 'being:' || w.being;
  if kind_of_mind is distinct from 'human' then
    lease := convert_from(w.content, 'UTF8')::json -> 'lease';
    if not exists (select from lease l where l.being = w.being and l.driver = lease ->> 'driver')
      or lease_is_valid(w.being, (lease ->> 'epoch')::integer) is not true
    then
      raise exception 'refused: % is not a person, and nobody drives it under this lease', w.being using errcode = '42501';
    end if;
  end if;
  insert into inbox (id, being, kind, priority, content, root, login, outside)
    values (w.id, w.being, w.kind, w.priority, w.content, w.root, session_user, coalesce(w.outside, false))
    on conflict (id) do nothing;
  return found;
end $$;
