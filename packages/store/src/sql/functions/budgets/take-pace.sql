-- Counts one moment on every account up the birth chain with a pace. Counts on none and returns false when
-- one is used up, or when a being without a budget of its own has used up the standard pace.
create or replace function treeos.take_pace(whose text) returns boolean
language plpgsql as $$
declare
  paced text[];
  this_minute timestamptz;
begin
  if is_hurried(whose) then
    return false;
  end if;
  if not exists (select from account where moments_max is not null) then
    return true;
  end if;
  select array_agg(being) into paced from account where being = any(line_of(whose)) and moments_max is not null;
  if paced is null then
    return true;
  end if;
  perform lock_accounts(paced);
  this_minute := date_trunc('minute', clock_timestamp());
  if exists (select from account
    where being = any(paced) and minute_moments >= moments_max and minute = this_minute)
  then
    return false;
  end if;
  update account set minute = this_minute,
      minute_moments = case when minute = this_minute then minute_moments + 1 else 1 end
    where being = any(paced);
  return true;
end $$;
