-- The access tokens that a person may revoke: those that it issued, and those for itself or for its
-- offspring. Ended ones too, the newest first, after one of them. No secret and no hash of one is told.
create or replace function treeos.tokens_of(who text, after_id text, at_most integer)
returns table (id text, being text, issued_by text, issued_at timestamptz, expires_at timestamptz, revoked_at timestamptz)
language sql stable security definer set search_path = treeos, pg_temp as $$
  select t.id, t.being, t.issued_by, t.issued_at, t.expires_at, t.revoked_at from token t
  where exists (select from projection where key = 'being:' || who and cognition = 'human')
    and (t.issued_by = who or who = any (line_of(t.being)))
    and (after_id is null or (t.issued_at, t.id) < (select l.issued_at, l.id from token l where l.id = after_id))
  order by t.issued_at desc, t.id desc limit at_most;
$$;
