-- Begins all lives anew where the record was restored: Postgres gives a server that recovered from a backup or
-- was promoted another timeline, and a dump is restored into another server. Workers call it as they start.
-- Returns why; null where nothing was restored.
create or replace function treeos.note_restore() returns text
language plpgsql security definer set search_path = treeos, pg_catalog, pg_temp as $$
declare
  known restore;
  here_server text;
  here_timeline integer;
  why text;
begin
  select s.system_identifier::text, c.timeline_id into here_server, here_timeline
    from pg_control_system() s, pg_control_checkpoint() c;
  select * into known from restore order by n desc limit 1;
  if (known.server, known.timeline) is not distinct from (here_server, here_timeline) then
    return null;
  end if;
  lock table restore in share row exclusive mode; -- several workers may start at once
  select * into known from restore order by n desc limit 1;
  if known.n is null then
    insert into restore (why, server, timeline, lives) values ('made', here_server, here_timeline, 0);
    return null;
  end if;
  if (known.server, known.timeline) is not distinct from (here_server, here_timeline) then
    return null;
  end if;
  why := case when known.server <> here_server then 'another server' else 'timeline ' || here_timeline || ' after ' || known.timeline end;
  perform begin_anew(why);
  return why;
end $$;
