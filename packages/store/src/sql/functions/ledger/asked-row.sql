-- The row of a call that waits for a yes, or waited. Null when there is none.
create or replace function treeos.asked_row(its_id text) returns jsonb language sql stable as $$
  select told(convert_to(state, 'UTF8')) from projection where key = approval_reel(its_id)
$$;
