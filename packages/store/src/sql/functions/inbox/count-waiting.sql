-- Number of wakes that wait for a being, up to 1000.
create or replace function treeos.count_waiting(whose text) returns integer language plpgsql stable as $$
begin
  if whose is null then
    return 0;
  end if;
  -- Counted up to a bound: the workflow asks whether to go on, and people ask how long the queue is.
  return (select count(*) from (
    select from inbox
    where being = whose and closed_by is null and claimed_by is null and (kind = 'act' or treeos.brings_yes(kind, id)
      or coalesce((select cognition from projection where key = 'being:' || whose) <> 'human', false))
    limit 1000) as line);
end $$;
