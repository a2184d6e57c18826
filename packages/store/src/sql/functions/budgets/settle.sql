-- Replaces the reservation of an attempt by its real usage, once. Null usage: the reservation counts.
-- @param unsure the usage is the most that it can have been: the provider never said it
create or replace function treeos.settle(for_moment text, its_attempt integer, used_tokens bigint, used_micros bigint, unsure boolean)
returns void
language plpgsql security definer set search_path = treeos, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  perform lock_accounts((select accounts from reservation where moment = for_moment and attempt = its_attempt));
  perform settle_locked(for_moment, its_attempt, used_tokens, used_micros, unsure);
end $$;
