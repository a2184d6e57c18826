-- Stores the result of what a moment asked of the outside. The first result counts, and none comes after the
-- moment.
create or replace function treeos.record_effect_result(its_moment text, its_result bytea) returns void
language sql volatile security definer set search_path = treeos, pg_temp as $$
  update moment_effect set result = its_result
    where moment = its_moment and result is null
      and not exists (select from moment_outcome o where o.moment = its_moment)
$$;
