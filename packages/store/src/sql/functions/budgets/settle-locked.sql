-- Settles one attempt; its accounts are already locked. The first settlement counts. Null usage: the
-- reservation counts.
create or replace function treeos.settle_locked(for_moment text, its_attempt integer, used_tokens bigint, used_micros bigint,
  is_unsure boolean default false) returns void
language plpgsql as $$
declare
  r reservation;
begin
  update reservation set settled_at = clock_timestamp(),
      settled_tokens = coalesce(used_tokens, tokens), settled_micros = coalesce(used_micros, micros),
      unsure = is_unsure or used_tokens is null
    where moment = for_moment and attempt = its_attempt and settled_at is null
    returning * into r;
  if not found then
    return;
  end if;
  update account set
      total_tokens = total_tokens + r.settled_tokens - r.tokens,
      total_micros = total_micros + r.settled_micros - r.micros,
      day_tokens = day_tokens + case when day = r.day then r.settled_tokens - r.tokens else 0 end,
      day_micros = day_micros + case when day = r.day then r.settled_micros - r.micros else 0 end,
      reserved_tokens = reserved_tokens - r.tokens,
      reserved_micros = reserved_micros - r.micros
    where being = any(r.accounts);
end $$;
