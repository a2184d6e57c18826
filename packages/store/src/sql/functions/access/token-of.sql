-- Finds the access token of a secret by its hash, also one that has ended. A login that may call this and not
-- read treeos.token learns of the tokens whose secrets it was shown, and of no others.
create or replace function treeos.token_of(hash bytea)
returns table (id text, being text, issued_by text, issued_at timestamptz, expires_at timestamptz, revoked_at timestamptz, holds boolean)
language sql stable security definer set search_path = treeos, pg_temp as $$
  select t.id, t.being, t.issued_by, t.issued_at, t.expires_at, t.revoked_at,
    t.revoked_at is null and t.expires_at > clock_timestamp()
  from token t where t.secret_hash = hash;
$$;
