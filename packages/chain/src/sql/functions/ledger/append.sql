create or replace function treeos.append(batch jsonb) returns jsonb
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  refusal jsonb := hold(batch);
  woken jsonb := '[]';
begin
  if refusal is not null then
    return refusal;
  end if;
  perform write_facts(batch->>'moment', batch->'facts');
  if jsonb_array_length(batch->'rows') > 0 then
    perform write_rows(batch->'rows');
  end if;
  if jsonb_array_length(batch->'inbox') > 0 then
    perform write_inbox(batch->'inbox');
  end if;
  if jsonb_typeof(batch->'outcome') = 'object' then
    perform close_moment(batch);
  end if;
  -- What an append does not ask for costs it nothing.
  if batch->'rows' @? 'strict $[*] ? (@.watches.type() == "array")' then
    perform keep_watches(batch->'rows');
  end if;
  if jsonb_array_length(batch->'changes') > 0 then
    woken := wake_watchers(batch->>'moment', batch->'changes');
  end if;
  perform keep_budgets(batch);
  if batch->'rows' @? 'strict $[*] ? (@.lease.type() == "object")' then
    perform keep_leases(batch->'rows', (batch->>'leaseSeconds')::integer);
  end if;
  return jsonb_build_object('status', 'appended', 'waiting', count_waiting(batch->>'being'), 'woken', woken);
end $$;
