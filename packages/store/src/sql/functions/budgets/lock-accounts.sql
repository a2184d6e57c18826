-- Locks accounts in one order, by name.
-- A generic plan, as in reserve.
create or replace function treeos.lock_accounts(names text[]) returns void
language plpgsql security definer set search_path = treeos, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  perform 1 from account where being = any(names) order by being collate "C" for update;
end $$;
