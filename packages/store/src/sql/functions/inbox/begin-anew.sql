-- Gives each being a generation that no life has yet, so that a moment after a restore has an id that no moment
-- of before it has, and lives that go on in Temporal write nothing more. Notes when, and why.
create or replace function treeos.begin_anew(why text) returns integer language plpgsql as $$
declare
  begun integer;
begin
  perform 1 from head where reel like 'moments:%' order by reel for update; -- as begin_life does
  insert into life (being, generation, chain)
    select being, max(generation) + 1, 'restored/' || gen_random_uuid() from life group by being;
  get diagnostics begun = row_count;
  insert into restore (why, server, timeline, lives)
    select why, s.system_identifier::text, c.timeline_id, begun from pg_control_system() s, pg_control_checkpoint() c;
  return begun;
end $$;
