import { type Kysely, sql } from 'kysely'

/**
 * Tokens, by which somebody outside acts as one being. Of a secret only its hash is kept. A token is never changed but to be
 * revoked, once and for good, and never deleted: who could act as whom, and until when, stays known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLE).execute(db)
  await sql.raw(RIGHTS).execute(db)
}

const TABLE = `
create table treeos.token (
  id text primary key,
  being text not null,
  secret_hash bytea not null unique check (length(secret_hash) = 32), -- sha256
  issued_by text not null,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);

create function treeos.only_revoke_tokens() returns trigger
language plpgsql set search_path = treeos, pg_temp as $$
begin
  if old.revoked_at is not null or new.revoked_at is null
    or (new.id, new.being, new.secret_hash, new.issued_by, new.issued_at, new.expires_at)
      is distinct from (old.id, old.being, old.secret_hash, old.issued_by, old.issued_at, old.expires_at)
  then
    raise exception 'refused: a token is only ever revoked, and once';
  end if;
  return new;
end $$;
create trigger token_is_only_revoked before update on treeos.token
  for each row execute function treeos.only_revoke_tokens();
create trigger token_stays before delete or truncate on treeos.token
  for each statement execute function treeos.refuse_change();
`

const RIGHTS = `
revoke execute on function treeos.only_revoke_tokens() from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'treeos_app') then
    grant select on treeos.token to treeos_app;
    grant insert (id, being, secret_hash, issued_by, issued_at, expires_at) on treeos.token to treeos_app;
    grant update (revoked_at) on treeos.token to treeos_app;
  end if;
end $$;
`
