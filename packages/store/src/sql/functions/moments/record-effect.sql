-- Stores what a moment asks of the outside, unless it has asked before. The moment is of the life that its
-- being has now, and has no outcome. Where rules count the act, it takes its place among the acts that they
-- count before the outside is asked: no other act is counted there until the moment is over.
-- @param its_holds [{reel, seq, payload}]: where it is counted, the last fact there as the act was judged,
--   and the fact to come
-- @returns a reel that has moved, or where another act waits for the outside; then nothing was stored
create or replace function treeos.record_effect(its_moment text, its_operation text, its_request bytea, its_holds jsonb) returns text
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  its_being text := split_part(its_moment, '/', 1);
  its_generation integer := split_part(its_moment, '/', 2)::integer;
  h record;
  stands bigint;
begin
  if current_generation(its_being) is distinct from its_generation then
    raise exception 'generation % of % has ended; generation % lives', its_generation, its_being, current_generation(its_being)
      using errcode = 'TR003';
  end if;
  if exists (select from moment_outcome where moment = its_moment)
    or not exists (select from moment_open where moment = its_moment and being = its_being)
  then
    raise exception 'refused: moment % is over, or was never opened', its_moment using errcode = '42501';
  end if;
  if exists (select from moment_effect where moment = its_moment) then
    return null;
  end if;
  for h in select r.reel, r.seq from jsonb_to_recordset(its_holds) as r(reel text, seq bigint) order by r.reel collate "C" loop
    if not is_tally(h.reel) then
      raise exception 'refused: acts are not counted on %', h.reel using errcode = '42501';
    end if;
    insert into head (reel, seq, hash, state_seq) values (h.reel, 0, genesis(h.reel), 0) on conflict do nothing;
    select seq into stands from head where reel = h.reel for update;
    if stands is distinct from h.seq or is_held(h.reel, its_moment) then
      return h.reel;
    end if;
  end loop;
  insert into held_count (reel, moment, payload)
    select r.reel, its_moment, decode(r.payload, 'hex') from jsonb_to_recordset(its_holds) as r(reel text, payload text)
    on conflict (reel) do update set moment = excluded.moment, payload = excluded.payload;
  insert into moment_effect (moment, operation, request) values (its_moment, its_operation, its_request)
    on conflict (moment) do nothing;
  return null;
end $$;
