-- The reel of a call that waits for a yes, and the key of its row. The ids of its inbox entries are in
-- approval_entry.
create or replace function treeos.approval_reel(its_id text) returns text language sql immutable as $$
  select 'approval:' || its_id
$$;
