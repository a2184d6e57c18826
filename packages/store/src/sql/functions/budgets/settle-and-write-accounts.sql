-- Writes the accounts that the batch brings. When the batch closes a moment, settles the moment's open
-- attempts: the one of `settlement`, {attempt, tokens, micros}, at its usage, and the others at their
-- reservations. A fact that unparks a being with `release` gives back what counts on its account for calls
-- whose cost never came back.
-- @param keeps a row of the batch brings an account
-- @param unparks a fact of it unparks a being
-- @param settles it closes a moment for which an attempt is open
create or replace function treeos.settle_and_write_accounts(batch jsonb, guarded boolean, keeps boolean, unparks boolean, settles boolean)
returns void language plpgsql as $$
declare
  this_moment text := batch->>'moment';
  attempts integer[]; -- null: none is open
  reserved text[] := '{}';
  names text[]; -- of all accounts that change
  settlement jsonb := batch->'settlement';
  open_attempt integer;
  is_known boolean;
  releases text[] := '{}';
  released text;
  nothing text; -- as in append
begin
  if unparks then
    releases := array(select substr(f.reel, 7) from jsonb_to_recordset(batch->'facts') as f(reel text, kind text, bytes text)
      where f.kind = 'being:unparked' and told(decode(f.bytes, 'hex'))->'release' = 'true');
  end if;
  if settles then
    select array_agg(attempt), min(accounts) into attempts, reserved from reservation where moment = this_moment and settled_at is null;
    if cardinality(attempts) > 1 then
      reserved := reserved_accounts(this_moment);
    end if;
  end if;
  if not keeps and attempts is null and releases = '{}' then
    return;
  end if;
  names := reserved || releases;
  if keeps then
    names := names || array(select substr(r.key, 7) from jsonb_to_recordset(batch->'rows') as r(key text) where r.key like 'being:%');
  end if;
  nothing := lock_accounts(names);
  if keeps then
    if guarded and is_accounted(batch) is not true then
      raise exception 'refused: an account changes by facts of the same batch' using errcode = '42501';
    end if;
    perform write_accounts(batch->'rows');
  end if;
  foreach released in array releases loop
    perform release_unsure(released);
  end loop;
  foreach open_attempt in array coalesce(attempts, '{}') loop
    is_known := open_attempt is not distinct from (settlement->>'attempt')::integer;
    nothing := settle_locked(this_moment, open_attempt, case when is_known then (settlement->>'tokens')::bigint end,
      case when is_known then (settlement->>'micros')::bigint end, false);
  end loop;
end $$;
