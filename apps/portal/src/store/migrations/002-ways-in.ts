import { type Kysely, sql } from 'kysely'

/**
 * Passkeys and accounts of an identity provider beside passwords, what was begun and is not finished yet, and names for sessions
 * and links. Secrets are stored as hashes only; of a passkey there is only its public key.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table portal.account alter column password drop not null`.execute(db)
  await sql`
    alter table portal.session
      add column id uuid not null default gen_random_uuid() unique,
      add column way text not null default 'password',
      add column agent text not null default ''`.execute(db)
  await sql`alter table portal.link add column made_by text`.execute(db)
  await sql`
    create table portal.passkey (
      id text primary key,
      being text not null references portal.account on delete cascade,
      site text not null,
      user_handle bytea not null,
      public_key bytea not null,
      counter bigint not null,
      transports text[] not null,
      name text not null,
      created_at timestamptz not null default clock_timestamp(),
      used_at timestamptz
    )`.execute(db)
  await sql`create index passkey_being on portal.passkey (being)`.execute(db)
  await sql`
    create table portal.identity (
      issuer text not null,
      subject text not null,
      being text not null references portal.account on delete cascade,
      label text not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (issuer, subject),
      unique (being, issuer)
    )`.execute(db)
  await sql`
    create table portal.attempt (
      secret_hash bytea primary key,
      kind text not null,
      bound text not null,
      user_handle bytea,
      name text,
      expires_at timestamptz not null
    )`.execute(db)
}
