import { type Kysely, sql } from 'kysely'

/** Reels, moments, inbox and rows, and the triggers that keep the past as it is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(db)
  await sql.raw(IMMUTABLE).execute(db)
  await sql.raw(READING).execute(db)
}

const TABLES = `
create schema if not exists treeos;
set local search_path = treeos;

create table reality (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid(),
  name text not null,
  time_zone text not null,
  created_at timestamptz not null default clock_timestamp()
);

-- Where every chain stands. state_seq: the last fact that changed what others may rely on (speech does not).
create table head (
  reel text primary key,
  seq bigint not null,
  hash bytea not null,
  state_seq bigint not null
);

create table fact (
  reel text not null,
  seq bigint not null check (seq > 0),
  kind text not null,
  moment text,
  hash bytea not null unique,
  prev bytea not null,
  payload_hash bytea not null,
  header bytea not null,
  primary key (reel, seq)
);
create index fact_moment on fact (moment) where moment is not null;

-- Apart from the fact, so that a content can be erased and the chain still verifies.
create table payload (
  reel text not null,
  seq bigint not null,
  salt bytea not null,
  bytes bytea not null,
  primary key (reel, seq),
  foreign key (reel, seq) references fact (reel, seq)
);

-- Caches of the fold. state is canonical JSON text: jsonb would rewrite it.
create table projection (
  key text primary key,
  reel text not null,
  state text not null,
  folded_seq bigint not null,
  place text,
  parent text,
  cognition text
);
create index projection_place on projection (place, key) where place is not null;
create index projection_parent on projection (parent, key) where parent is not null;
create index projection_reel on projection (reel, key);

-- Content-addressed and never overwritten: role specs, faces, larger contents.
create table blob (
  digest text primary key,
  bytes bytea not null
);

-- A being's lives: each new workflow execution takes the next generation, continue-as-new keeps it.
create table life (
  being text not null,
  generation integer not null check (generation > 0),
  chain text not null,
  begun_at timestamptz not null default clock_timestamp(),
  primary key (being, generation),
  unique (being, chain)
);

create table inbox (
  id text primary key,
  being text not null,
  kind text not null check (kind in ('summon', 'act', 'event')),
  priority smallint not null,
  age bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  caller text,
  caller_role text,
  caller_cognition text,
  content bytea not null,
  root text not null,
  in_reply_to text,
  asked_role text,
  hops integer not null default 0,
  continues integer not null default 0,
  cause bytea,
  claimed_by text,
  closed_by text,
  closed_at timestamptz
);
create index inbox_open on inbox (being, priority, age) where closed_by is null;
create unique index inbox_claim on inbox (claimed_by) where claimed_by is not null; -- one moment, one wake
create index inbox_reply on inbox (in_reply_to) where in_reply_to is not null;
create index inbox_root on inbox (root);

-- The three writes of a moment, each keyed by the moment: the first one wins, a rerun reads what is stored.
create table moment_open (
  moment text primary key,
  being text not null,
  n integer not null,
  wake text not null,
  opened_at bigint not null,
  record bytea not null,
  basis bytea not null,
  face text,
  unique (being, n, moment)
);
create table moment_decision (
  moment text primary key,
  kind text not null,
  digest text not null,
  salt bytea not null,
  bytes bytea not null,
  usage jsonb
);
create table moment_outcome (
  moment text primary key,
  being text not null,
  n integer not null,
  kind text not null check (kind in ('act', 'see', 'failure', 'skipped')),
  reason text,
  wake text,
  sealed_at bigint not null,
  primary_role text,
  prev bytea not null,
  hash bytea not null unique,
  record bytea not null,
  detail text,
  result text,
  unique (being, n)
);
-- One wake, one outcome; a life that ended halfway gives its wake back.
create unique index moment_outcome_wake on moment_outcome (wake) where reason is distinct from 'superseded';
create index moment_outcome_sealed on moment_outcome (being, n) where kind = 'act';
`

const IMMUTABLE = `
create function treeos.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: the past is fixed', tg_op, tg_table_name using errcode = 'TR001';
end $$;
create trigger fact_fixed before update or delete or truncate on treeos.fact
  for each statement execute function treeos.refuse_change();
create trigger payload_fixed before update or truncate on treeos.payload
  for each statement execute function treeos.refuse_change();
create trigger moment_open_fixed before update or delete or truncate on treeos.moment_open
  for each statement execute function treeos.refuse_change();
create trigger moment_decision_fixed before update or truncate on treeos.moment_decision
  for each statement execute function treeos.refuse_change();
create trigger moment_outcome_fixed before update or delete or truncate on treeos.moment_outcome
  for each statement execute function treeos.refuse_change();
create trigger blob_fixed before update or truncate on treeos.blob
  for each statement execute function treeos.refuse_change();
create trigger head_fixed before delete or truncate on treeos.head
  for each statement execute function treeos.refuse_change();
create trigger life_fixed before update or delete or truncate on treeos.life
  for each statement execute function treeos.refuse_change();
`

const READING = `
-- Null for bytes that are no JSON: what verifies a chain must not stumble over what broke it.
create function treeos.json_of(bytes bytea) returns jsonb language plpgsql immutable as $$
begin
  return convert_from(bytes, 'UTF8')::jsonb;
exception when data_exception then return null; -- with all of its class, such as bad UTF-8 and bad JSON
end $$;
`
