-- Settles the open attempts of several moments that end, as settle_and_write_accounts does for one.
create or replace function treeos.settle_together(batches jsonb[]) returns void language plpgsql as $$
begin
  perform from account
    where being = any(array(
      select unnest(r.accounts) from unnest(batches) b join reservation r on r.moment = b->>'moment' and r.settled_at is null))
    order by being collate "C" for update;
  with settled as (
    update reservation r set settled_at = clock_timestamp(), unsure = k.tokens is null,
        settled_tokens = coalesce(k.tokens, r.tokens), settled_micros = coalesce(k.micros, r.micros)
      from (
        select o.moment, o.attempt, s.tokens, s.micros
        from unnest(batches) b join reservation o on o.moment = b->>'moment' and o.settled_at is null
          left join lateral jsonb_to_record(case jsonb_typeof(b->'settlement') when 'object' then b->'settlement' else '{}' end)
            as s(attempt integer, tokens bigint, micros bigint) on s.attempt = o.attempt) k
      where r.moment = k.moment and r.attempt = k.attempt and r.settled_at is null
      returning r.*
  ), sums as (
    select a.being, sum(s.tokens) held_tokens, sum(s.micros) held_micros,
      sum(s.settled_tokens - s.tokens) tokens, sum(s.settled_micros - s.micros) micros,
      coalesce(sum(s.settled_tokens - s.tokens) filter (where s.day = a.day), 0) day_tokens,
      coalesce(sum(s.settled_micros - s.micros) filter (where s.day = a.day), 0) day_micros
    from settled s cross join lateral unnest(s.accounts) as of(being) join account a on a.being = of.being
    group by a.being
  )
  update account a set
      total_tokens = a.total_tokens + s.tokens, total_micros = a.total_micros + s.micros,
      day_tokens = a.day_tokens + s.day_tokens, day_micros = a.day_micros + s.day_micros,
      reserved_tokens = a.reserved_tokens - s.held_tokens, reserved_micros = a.reserved_micros - s.held_micros
    from sums s where a.being = s.being;
end $$;
