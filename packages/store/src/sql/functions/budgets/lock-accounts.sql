-- Locks accounts in one order, by name.
create or replace function treeos.lock_accounts(names text[]) returns void
language plpgsql as $$
begin
  perform 1 from account where being = any(names) order by being collate "C" for update;
end $$;
