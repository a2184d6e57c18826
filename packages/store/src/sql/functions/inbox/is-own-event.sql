-- Whether a wake is one by which its being wakes itself, and says what the being's row says:
-- `idle/<being>/<generation>/<n>` after a silence, or `schedule/<being>/<name>/<due>`. A row may hold a NUL,
-- which Postgres cannot read out of JSON: then only the id counts. It stays, since no moment sends such a
-- wake, so no record tells of it.
create or replace function treeos.is_own_event(w treeos.inbox) returns boolean
language plpgsql stable set search_path = treeos, pg_temp as $$
declare
  part text[] := string_to_array(w.id, '/');
  qualities json;
  schedule json;
begin
  if cardinality(part) < 4 or part[1] not in ('idle', 'schedule') or part[2] <> w.being or w.root <> w.id then
    return false;
  end if;
  qualities := (select state::json->'qualities' from projection where key = 'being:' || w.being);
  if part[1] = 'idle' then
    return convert_from(w.content, 'UTF8') is not distinct from
      format('{"actor":"@%s","event":"idle","seconds":%s}', w.being, qualities #>> '{wake,idle}');
  end if;
  schedule := qualities #> array['schedule', part[3]];
  return schedule is not null and convert_from(w.content, 'UTF8') is not distinct from
    '{"actor":"@' || w.being || '",' || coalesce('"content":' || (schedule->'content')::text || ',', '')
      || '"event":"schedule","name":"' || part[3] || '"}';
exception when untranslatable_character then return true;
end $$;
