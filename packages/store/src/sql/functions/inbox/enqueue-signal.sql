-- Puts an act that came by a Temporal signal into an inbox. Who may signal counts as the first operator, so
-- it is an act of that person, or of a being that it drives. Only the login of acts by signal may call it:
-- see rights.sql.
create or replace function treeos.enqueue_signal(entry jsonb) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  if not exists (
    select from projection p
    where p.parent is null and p.key in ('being:' || (entry->>'being'),
      'being:' || (select driver from lease where being = entry->>'being')))
  then
    raise exception 'refused: a signal acts as the operator, or as a being that the operator drives, not as %', entry->>'being'
      using errcode = '42501';
  end if;
  return enqueue_act(entry);
end $$;
