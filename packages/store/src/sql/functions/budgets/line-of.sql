-- A being and its makers, nearest first, up to 64 hops.
create or replace function treeos.line_of(whose text) returns text[]
language sql stable set search_path = treeos, pg_temp as $$
  with recursive line(being, hops) as (
    select whose, 0
    union all
    select p.parent, hops + 1 from line join projection p on p.key = 'being:' || line.being
    where p.parent is not null and hops < 64)
  select array_agg(being order by hops) from line
$$;
