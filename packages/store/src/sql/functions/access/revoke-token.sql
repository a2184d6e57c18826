-- Revokes an access token that the person issued, or that is for itself or for its offspring. Returns false
-- when there is no such one, or it was revoked before.
create or replace function treeos.revoke_token(its_id text, who text) returns boolean
language plpgsql security definer set search_path = treeos, pg_temp as $$
begin
  update token set revoked_at = clock_timestamp()
    where id = its_id and revoked_at is null and exists (select from projection where key = 'being:' || who and cognition = 'human')
      and (issued_by = who or who = any (line_of(being)));
  return found;
end $$;
