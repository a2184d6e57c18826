-- Until when a call waits for a yes. Null when it does not wait.
create or replace function treeos.is_asked_until(its_id text) returns timestamptz language sql stable as $$
  select to_timestamp((r->>'expiresAt')::float8 / 1000) from asked_row(its_id) r where r->>'state' = 'open'
$$;
