-- Trigger of token: the only change is one revocation.
create or replace function treeos.only_revoke_tokens() returns trigger
language plpgsql set search_path = treeos, pg_temp as $$
begin
  if old.revoked_at is not null or new.revoked_at is null
    or (new.id, new.being, new.secret_hash, new.issued_by, new.issued_at, new.expires_at)
      is distinct from (old.id, old.being, old.secret_hash, old.issued_by, old.issued_at, old.expires_at)
  then
    raise exception 'refused: a token can only be revoked, and only once';
  end if;
  return new;
end $$;
