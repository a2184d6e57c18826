-- Revokes an access token. Returns false when there is none, or it was revoked before.
create or replace function treeos.revoke_token(its_id text) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  update token set revoked_at = clock_timestamp() where id = its_id and revoked_at is null;
  return found;
end $$;
