-- Puts an act that a workflow of a host makes into the inbox of the person as whom workflows act. Workers may
-- call it, so its words always count as from outside, and it is nobody's own yes.
create or replace function treeos.enqueue_hosted(entry jsonb) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  if not is_hosted(entry->>'being') then
    raise exception 'refused: workflows act as a person whose quality wake.workflows is true, not as %', entry->>'being'
      using errcode = '42501';
  end if;
  if (entry->>'outside')::boolean is not true then
    raise exception 'refused: an act of a workflow says that its words are from outside' using errcode = '42501';
  end if;
  return enqueue_act(entry);
end $$;
