-- Closes an act that enqueue_act put into an inbox, unless a moment has claimed it. One that is not there yet
-- is put there closed, so that an insert whose answer was lost adds nothing later. Returns false when it is
-- claimed, or was closed before.
create or replace function treeos.withdraw(entry jsonb) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  if not exists (select from inbox where id = entry->>'id') then
    perform enqueue_act(entry);
  end if;
  update inbox set closed_by = 'withdrawn', closed_at = clock_timestamp()
    where id = entry->>'id' and being = entry->>'being' and kind = 'act'
      and closed_by is null and claimed_by is null;
  if not found then
    return false;
  end if;
  delete from sealed_text where wake = entry->>'id';
  return true;
end $$;
