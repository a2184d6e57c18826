-- Tables and indexes of the baseline. A released file: later changes of tables are migrations of their own.

create schema if not exists treeos;

create table treeos.reality (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid(),
  name text not null,
  time_zone text not null,
  created_at timestamptz not null default clock_timestamp()
);

-- The last fact of each chain. state_seq: the last fact that changed state others rely on (speech does not).
create table treeos.head (
  reel text primary key,
  seq bigint not null,
  hash bytea not null,
  state_seq bigint not null
);

create table treeos.fact (
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
create index fact_moment on treeos.fact (moment) where moment is not null;

-- A table of its own, so that a payload can be erased and the chain still verifies.
create table treeos.payload (
  reel text not null,
  seq bigint not null,
  salt bytea not null,
  bytes bytea not null,
  primary key (reel, seq),
  foreign key (reel, seq) references treeos.fact (reel, seq)
);

-- Caches of the fold. state is canonical JSON as text, because jsonb would rewrite it.
create table treeos.projection (
  key text primary key,
  reel text not null,
  state text not null,
  folded_seq bigint not null,
  place text,
  parent text,
  cognition text
);
create index projection_place on treeos.projection (place, key) where place is not null;
create index projection_parent on treeos.projection (parent, key) where parent is not null;
create index projection_reel on treeos.projection (reel, key);
-- Few beings have a schedule. A row is canonical JSON, so its text shows whether it may have one. A row whose content
-- only quotes these characters is read and then ignored.
create index projection_scheduling on treeos.projection (key)
  where key like 'being:%' and state like '%"schedule":{%';

-- Content-addressed and never overwritten: role specs, faces, larger contents.
create table treeos.blob (
  digest text primary key,
  bytes bytea not null
);

-- Each new workflow execution of a being takes the next generation. Continue-as-new keeps its generation.
create table treeos.life (
  being text not null,
  generation integer not null check (generation > 0),
  chain text not null, -- first run id of the Temporal execution chain
  begun_at timestamptz not null default clock_timestamp(),
  primary key (being, generation),
  unique (being, chain)
);

create table treeos.inbox (
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
create index inbox_open on treeos.inbox (being, priority, age) where closed_by is null;
create unique index inbox_claim on treeos.inbox (claimed_by) where claimed_by is not null; -- one moment, one wake
create index inbox_reply on treeos.inbox (in_reply_to) where in_reply_to is not null;
create index inbox_root on treeos.inbox (root);
-- A waiting wake by change covers all later changes: its moment reads them all.
create index inbox_change on treeos.inbox (being)
  where closed_by is null and claimed_by is null and kind = 'event' and id like 'change/%';

-- Which being is woken by a change of which path of which reel.
create table treeos.watch (
  being text not null,
  reel text not null, -- or a scope that changes name
  path text not null, -- dotted, within the values of the reel's row; empty for all of them
  name text not null default '', -- of the subscription; empty where a roleFlow reads the path
  equals jsonb, -- scalars: only a change to one of them wakes; null for any change
  priority smallint,
  coalesce_seconds integer not null default 0,
  constraint watch_pkey primary key (reel, path, being, name)
);
create index watch_being on treeos.watch (being);

-- Wakes that wait for more changes, one a being. They are not in the inbox, so nothing there must skip them.
create table treeos.delayed (
  being text primary key,
  due timestamptz not null,
  id text not null,
  priority smallint not null,
  content bytea not null,
  root text not null,
  hops integer not null,
  cause bytea
);
create index delayed_due on treeos.delayed (due);

-- The writes of a moment, each keyed by the moment. The first write wins, and a rerun reads what is stored.
create table treeos.moment_open (
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

create table treeos.moment_decision (
  moment text primary key,
  kind text not null,
  digest text not null,
  salt bytea not null,
  bytes bytea not null,
  usage jsonb
);

-- What an act asks of the outside world before it is stamped, after both gates have passed it, and the result.
create table treeos.moment_effect (
  moment text primary key,
  operation text not null,
  request bytea not null, -- canonical JSON
  result bytea -- canonical JSON: {value} or {error}; null until there is a result
);

create table treeos.moment_outcome (
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
-- A wake has one outcome. Superseded outcomes do not count: they give their wake back to the next life.
create unique index moment_outcome_wake on treeos.moment_outcome (wake) where reason is distinct from 'superseded';
create index moment_outcome_sealed on treeos.moment_outcome (being, n) where kind = 'act';

-- A being with a budget: what it and all its offspring may use, and have used. Money is counted in millionths. Used
-- counts include what is reserved; held is the reserved part that is not settled yet.
create table treeos.account (
  being text primary key,
  revision integer not null,
  moments_max integer,
  tokens_max bigint,
  micros_max bigint,
  per text not null check (per in ('day', 'total')),
  day date,
  day_tokens bigint not null default 0,
  day_micros bigint not null default 0,
  total_tokens bigint not null default 0,
  total_micros bigint not null default 0,
  held_tokens bigint not null default 0,
  held_micros bigint not null default 0,
  minute timestamptz,
  minute_moments integer not null default 0
);
create index account_paced on treeos.account (being) where moments_max is not null;

-- The worst case of one attempt of a model call, and its real usage once it is settled.
create table treeos.reservation (
  moment text not null,
  attempt integer not null,
  day date not null,
  accounts text[] not null,
  tokens bigint not null check (tokens >= 0),
  micros bigint not null check (micros >= 0),
  at timestamptz not null default clock_timestamp(),
  settled_tokens bigint,
  settled_micros bigint,
  settled_at timestamptz,
  primary key (moment, attempt)
);
create index reservation_open on treeos.reservation (moment) where settled_at is null;

-- Beings that met a limit, and whose budget it was. The next change of that budget, or the next day, ends it.
create table treeos.parking (
  being text primary key,
  of text not null,
  revision integer not null,
  until timestamptz
);

-- Who drives a being, until when by Postgres' clock. epoch is that of the fact on the being's reel that took the lease,
-- so no later lease has the same. A renewal writes no fact.
create table treeos.lease (
  being text primary key,
  driver text not null,
  epoch integer not null,
  under integer, -- the driver's own epoch, when another being drove the driver: then this lease ends with that one
  expires timestamptz not null
);

-- Access tokens, by which a person's program acts as one being. Only the hash of a secret is stored. A token can be
-- revoked, once, and is never deleted: the table shows who could act as whom, and until when.
create table treeos.token (
  id text primary key,
  being text not null,
  secret_hash bytea not null unique check (length(secret_hash) = 32), -- sha256
  issued_by text not null,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
