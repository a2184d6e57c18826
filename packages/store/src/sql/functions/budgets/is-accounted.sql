-- Whether each account that rows bring is what facts of the batch on its being's reel make of the account before: its limits from a
-- budget, and that it is parked from a limit that it met.
create or replace function treeos.is_accounted(batch jsonb) returns boolean language plpgsql stable as $$
begin
  return (select bool_and(
    (r.account->>'tokens', r.account->>'momentsPerMinute', (r.account->>'micros')::bigint) is not distinct from
      case when b.budget is not null
        then (b.budget->>'tokens', b.budget->>'momentsPerMinute', round((b.budget->>'money')::numeric * 1000000)::bigint)
        else (a.tokens_max::text, a.moments_max::text, a.micros_max) end
    and coalesce(r.account#>>'{parked,of}', '') in ('', p.of, (b.parked#>>'{breach,of}')))
  from jsonb_to_recordset(batch->'rows') as r(key text, account jsonb)
  left join account a on a.being = substr(r.key, 7)
  left join parking p on p.being = substr(r.key, 7)
  cross join lateral (
    select (array_agg(json_of(decode(f.bytes, 'hex'))->'budget') filter (where f.kind in ('being:budgeted', 'being:born')))[1] budget,
      (array_agg(json_of(decode(f.bytes, 'hex'))) filter (where f.kind = 'being:parked'))[1] parked
    from jsonb_to_recordset(batch->'facts') as f(reel text, kind text, bytes text) where f.reel = r.key) b
  where jsonb_typeof(r.account) = 'object');
end $$;
