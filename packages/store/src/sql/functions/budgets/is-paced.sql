-- Whether the being, or a being up its birth chain, has used up its moments of this minute.
create or replace function treeos.is_paced(whose text) returns boolean
language plpgsql stable set search_path = treeos, pg_temp as $$
begin
  if is_hurried(whose) then
    return true;
  end if;
  if not exists (select from account where moments_max is not null) then
    return false;
  end if;
  return exists (
    select from account
    where being = any(line_of(whose)) and minute = date_trunc('minute', clock_timestamp()) and minute_moments >= moments_max);
end $$;
