-- Keeps the error of one attempt of a moment that was opened. The first error of an attempt counts; of a
-- workflow that gives another stack the last one, since that is what its next run finds. A moment keeps at
-- most 64.
create or replace function treeos.record_fault(
  its_moment text, its_part text, its_attempt integer, took double precision, said text, frames text, its_digests jsonb
) returns void
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  if (select count(*) from moment_fault where moment = its_moment) >= 64 and its_part is distinct from 'stack' then
    return;
  end if;
  insert into moment_fault (moment, part, attempt, seconds, message, stack, differs)
    select m.moment, its_part, its_attempt, took, left(said, 4000), left(frames, 8000), its_digests
    from moment_open m where m.moment = its_moment
    on conflict (moment, part, attempt) do update
      set at = clock_timestamp(), message = excluded.message, differs = excluded.differs where moment_fault.part = 'stack';
end $$;
