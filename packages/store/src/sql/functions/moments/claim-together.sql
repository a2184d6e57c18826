-- Claims for moments of several beings in one transaction, see claim_and_read, whose arguments an ask has. It
-- waits at most 50 ms for a lock, as append_together does. The commit waits for the disk where that of one of
-- the claims would. Returns the lines of each claim, with the place of its ask.
create or replace function treeos.claim_together(asks jsonb)
returns table (ask integer, what text, key text, text text, number bigint, hash bytea, state_seq bigint)
language plpgsql set search_path = treeos, pg_temp set lock_timeout = 50 as $$
declare
  durable text := current_setting('synchronous_commit');
  waits boolean := false; -- for the disk
  nothing text; -- as in append
  a record;
begin
  for a in
    select i.ordinality - 1 as place, j.* from jsonb_array_elements(asks) with ordinality i,
      jsonb_to_record(i.value) as j(being text, moment text, generation integer, keys text[], reels text[], places text[],
        parents text[], asides text[], wore text[], bounds integer[], attempt integer, tokens bigint, micros bigint)
  loop
    nothing := set_config('synchronous_commit', durable, true);
    return query select a.place::integer, r.* from claim_and_read(a.being, a.moment, a.generation, a.keys, a.reels, a.places, a.parents,
      a.asides, a.wore, a.bounds, a.attempt, a.tokens, a.micros) r;
    waits := waits or current_setting('synchronous_commit') = durable;
  end loop;
  if waits then
    nothing := set_config('synchronous_commit', durable, true);
  end if;
end $$;
