-- Appends several batches of one worker in one transaction, see append. It waits at most 50 ms for a lock, since another transaction may wait for
-- one that it holds already: then it fails, nothing is written, and the worker appends each batch by itself.
-- Returns the answers in the order of the batches.
create or replace function treeos.append_together(batches jsonb[]) returns setof jsonb
language plpgsql set search_path = treeos, pg_temp set lock_timeout = 50 as $$
declare
  batch jsonb;
begin
  foreach batch in array batches loop
    return next append(batch);
  end loop;
end $$;
