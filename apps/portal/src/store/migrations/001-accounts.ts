import { type Kysely, sql } from 'kysely'

/** Accounts, sessions, one-time links and the count of failed sign-ins. Secrets are stored as hashes only. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create schema portal`.execute(db)
  await sql`
    create table portal.account (
      being text primary key,
      password text not null,
      created_at timestamptz not null default clock_timestamp()
    )`.execute(db)
  await sql`
    create table portal.session (
      cookie_hash bytea primary key,
      key_hash bytea not null,
      being text not null references portal.account on delete cascade,
      created_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index session_being on portal.session (being)`.execute(db)
  await sql`
    create table portal.link (
      token_hash bytea primary key,
      being text not null,
      created_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null,
      used_at timestamptz
    )`.execute(db)
  await sql`
    create table portal.throttle (
      key text primary key,
      failures integer not null,
      until timestamptz not null
    )`.execute(db)
}
