-- Writes the accounts that the batch brings. When the batch closes a moment, settles the moment's open attempts: the one of
-- `settlement`, {attempt, tokens, micros}, at its usage, and the others at their reservations.
create or replace function treeos.settle_and_write_accounts(batch jsonb, guarded boolean) returns void language plpgsql as $$
declare
  this_moment text := batch->>'moment';
  keeps boolean := batch->'rows' @? 'strict $[*] ? (@.account.type() == "object")';
  attempts integer[]; -- null: none is open
  reserved text[] := '{}';
  settlement jsonb := batch->'settlement';
  open_attempt integer;
  is_known boolean;
begin
  if this_moment is not null and jsonb_typeof(batch->'outcome') = 'object' then
    select array_agg(attempt), min(accounts) into attempts, reserved from reservation where moment = this_moment and settled_at is null;
    if cardinality(attempts) > 1 then
      reserved := reserved_accounts(this_moment);
    end if;
  end if;
  if not keeps and attempts is null then
    return;
  end if;
  perform lock_accounts(reserved || case when keeps then
    array(select substr(r.key, 7) from jsonb_to_recordset(batch->'rows') as r(key text) where r.key like 'being:%')
    else '{}' end);
  if keeps then
    if guarded and is_accounted(batch) is not true then
      raise exception 'refused: an account changes by facts of the same batch' using errcode = '42501';
    end if;
    perform write_accounts(batch->'rows');
  end if;
  foreach open_attempt in array coalesce(attempts, '{}') loop
    is_known := open_attempt is not distinct from (settlement->>'attempt')::integer;
    perform settle_locked(this_moment, open_attempt, case when is_known then (settlement->>'tokens')::bigint end,
      case when is_known then (settlement->>'micros')::bigint end);
  end loop;
end $$;
