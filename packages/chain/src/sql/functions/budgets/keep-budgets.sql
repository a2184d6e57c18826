-- Writes the accounts that the batch brings. When the batch closes a moment, settles the moment's open attempts.
create or replace function treeos.keep_budgets(batch jsonb) returns void language plpgsql as $$
declare
  this_moment text := batch->>'moment';
  keeps boolean := batch->'rows' @? 'strict $[*] ? (@.account.type() == "object")';
  held text[] := '{}';
  open_attempt integer;
begin
  if this_moment is not null and jsonb_typeof(batch->'outcome') = 'object' then
    held := held_by(this_moment);
  end if;
  if not keeps and held = '{}' then
    return;
  end if;
  perform lock_accounts(held || case when keeps then
    array(select substr(r.key, 7) from jsonb_to_recordset(batch->'rows') as r(key text) where r.key like 'being:%')
    else '{}' end);
  if keeps then
    perform keep_accounts(batch->'rows');
  end if;
  for open_attempt in select attempt from reservation where moment = this_moment and settled_at is null loop
    perform settle_locked(this_moment, open_attempt, null, null);
  end loop;
end $$;
