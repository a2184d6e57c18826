-- Closes open entries of an inbox that no moment has claimed, as their person decides: `read`, `dismissed` or
-- `answered`. Only of a person, or of a being that somebody drives now: any other being's wakes are closed by
-- its moments. Acts stay, and so do what was only read and needs a decision: a question, since whoever asked
-- waits for an answer, a call that waits for a yes, and the notice of a being that is parked still. Without
-- ids it closes all notices, and however they are closed, none that needs a decision. Returns how many.
create or replace function treeos.close_entries(whose text, ids text[], how text) returns integer
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  closed integer;
  entry inbox;
begin
  if how is null or how not in ('read', 'dismissed', 'answered') then
    raise exception 'refused: an entry is closed without a moment as read, dismissed or answered, not as %', how
      using errcode = '42501';
  end if;
  if wakes(whose, 'event') and not exists (select from lease where being = whose and lease_is_valid(being, epoch)) then
    return 0;
  end if;
  update inbox set closed_by = how, closed_at = clock_timestamp()
    where being = whose and closed_by is null and claimed_by is null and kind <> 'act'
      and case when ids is null then notice is not null else id = any(ids) end
      and not ((how = 'read' or ids is null) and kind_of(inbox) in ('question', 'approval', 'budget'));
  get diagnostics closed = row_count;
  if how <> 'read' and ids is not null then
    for entry in select * from inbox where id = any(ids) and being = whose and closed_by = how loop
      perform let_go(entry, 'the question was closed without an answer');
    end loop;
  end if;
  return closed;
end $$;
