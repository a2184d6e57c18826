-- Stores what a moment asks of the outside, unless it has asked before. The moment is of the life that its being has now, and has
-- no outcome.
create or replace function treeos.record_effect(its_moment text, its_operation text, its_request bytea) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  its_being text := split_part(its_moment, '/', 1);
  its_generation integer := split_part(its_moment, '/', 2)::integer;
begin
  if current_generation(its_being) is distinct from its_generation then
    raise exception 'generation % of % has ended; generation % lives', its_generation, its_being, current_generation(its_being)
      using errcode = 'TR003';
  end if;
  if exists (select from moment_outcome where moment = its_moment) then
    raise exception 'refused: moment % is over', its_moment using errcode = '42501';
  end if;
  insert into moment_effect (moment, operation, request) values (its_moment, its_operation, its_request)
    on conflict (moment) do nothing;
end $$;
