-- Closes an answer that a workflow of a host has read, in the inbox of the person as whom workflows act.
create or replace function treeos.close_hosted(whose text, ids text[]) returns integer
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  return case when is_hosted(whose) then close_entries(whose, ids, 'read') else 0 end;
end $$;
