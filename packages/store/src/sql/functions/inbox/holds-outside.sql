-- Whether a moment surely holds words from outside: its wake does, or what it asked of the outside was answered.
-- @param w the wake of the moment; null without a moment
create or replace function treeos.holds_outside(batch jsonb, w treeos.inbox) returns boolean language sql stable as $$
  select coalesce(w.outside, false)
    or exists (select from moment_effect where moment = batch->>'moment' and result is not null)
$$;
