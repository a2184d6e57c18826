-- Whether a budget still parks the being: its revision is the same and its day has not ended. The revisions
-- of the standard budget count down from 0, so that none equals one of a being's own.
create or replace function treeos.is_parked(whose text) returns boolean
language sql stable set search_path = treeos, pg_temp as $$
  select exists (
    select from parking p left join account a on a.being = p.of
    where p.being = whose and (p.until is null or clock_timestamp() < p.until)
      and p.revision = case when a.revision > 0 then a.revision else -(standard('llm')->>'revision')::integer end)
$$;
