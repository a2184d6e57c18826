-- Extends a lease that holds, by a minute at most. Returns false when it has ended.
create or replace function treeos.renew_lease(whose text, its_epoch integer, seconds integer) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  if (seconds between 1 and 60) is not true then
    raise exception 'refused: a lease is renewed for 1 to 60 seconds, not %', seconds using errcode = '42501';
  end if;
  if not lease_is_valid(whose, its_epoch) then
    return false;
  end if;
  update lease set expires = clock_timestamp() + make_interval(secs => seconds)
    where being = whose and epoch = its_epoch and expires > clock_timestamp();
  return found;
end $$;
