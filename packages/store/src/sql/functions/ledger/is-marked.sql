-- Whether a row holds words from outside, by its state in canonical JSON. Most rows are told from the text alone. A state that says so in
-- another form than ours counts as unmarked, so that a worker cannot hide a mark in one.
create or replace function treeos.is_marked(state text) returns boolean language plpgsql immutable as $$
begin
  return position('"outside":true' in state) > 0 and coalesce(told(convert_to(state, 'UTF8'))->'outside' = 'true', false);
end $$;
