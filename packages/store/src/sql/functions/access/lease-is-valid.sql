-- Whether a lease of a living driver holds, together with each lease that its driver acts under, up to 64
-- hops.
create or replace function treeos.lease_is_valid(whose text, its_epoch integer) returns boolean
language sql stable set search_path = treeos, pg_temp as $$
  with recursive line(being, epoch, hops) as (
    select whose, its_epoch, 0
    union all
    select l.driver, l.under, hops + 1 from line join lease l on l.being = line.being
    where l.under is not null and hops < 64)
  select bool_and(l.being is not null)
  from line left join lease l on l.being = line.being and l.epoch = line.epoch and l.expires > clock_timestamp()
    and not has_ended(l.driver)
$$;
