-- Tables and indexes. A row is found by the key of what it is about: a reel, a being, a moment, a wake.

create schema if not exists treeos;

-- Kinds by a domain: Postgres reads the check of a table anew for each statement that inserts.
create domain treeos.wake_kind as text check (value in ('summon', 'act', 'event'));
create domain treeos.outcome_kind as text check (value in ('act', 'see', 'failure', 'skipped', 'waiting'));

create table treeos.reality (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid(),
  name text not null,
  time_zone text not null,
  task_queue text, -- of Temporal, in which its beings wait; null: one of its own, by its name
  created_at timestamptz not null default clock_timestamp()
);

-- The last fact of each chain. state_seq: the last fact that changed state others rely on (speech does not).
create table treeos.head (
  reel text primary key,
  seq bigint not null,
  hash bytea not null,
  state_seq bigint not null,
  claimed text, -- of a being's records: the wake that a moment claimed last
  listens_until timestamptz, -- of a being's records: until then its run looks for wakes by itself, so nobody need ring it
  woke_at timestamptz -- when a change of this reel last woke somebody
);

create table treeos.fact (
  reel text not null,
  seq bigint not null, -- from 1: each follows the head of its reel
  kind text not null,
  moment text,
  hash bytea not null unique,
  prev bytea not null,
  payload_hash bytea not null,
  header bytea not null,
  -- The payload. `hash` does not cover it, so it can be erased and the chain still verifies: then both are
  -- null.
  salt bytea,
  bytes bytea,
  primary key (reel, seq)
);
create index fact_moment on treeos.fact (moment) where moment is not null;
create index fact_erased on treeos.fact (reel, seq) where kind in ('fact:erased', 'moment:erased');

-- One entry for each append, so that readers can follow what happens and resume where they stopped.
create table treeos.journal (
  entry bigint generated always as identity primary key,
  moment text, -- the moment that ended with the append
  reels text[] not null,
  seqs bigint[] not null
);

-- Caches of the fold. state is canonical JSON as text, because jsonb would rewrite it.
create table treeos.projection (
  key text primary key,
  reel text not null,
  state text not null,
  folded_seq bigint not null,
  place text,
  parent text,
  cognition text,
  -- Few rows are looked for by what they say: beings with a schedule, and calls that wait for a yes. The text
  -- of canonical JSON shows whether a row may be one; a row that only quotes these characters is read and
  -- then ignored. A column of its own, because an index that names the state would let each new state change
  -- every index.
  found_as text generated always as (case
    when key like 'being:%' and state like '%"schedule":{%' then 'scheduling'
    when key like 'approval:%' and state like '%"state":"open"%' then 'asked' else null end) stored
);
-- Looks take the first of a crowd in the order of the collation C.
create index projection_place on treeos.projection (place, key collate "C") where place is not null;
create index projection_parent on treeos.projection (parent, key) where parent is not null;
create index projection_reel on treeos.projection (reel, key);
create index projection_found on treeos.projection (found_as, key) where found_as is not null;

-- Content-addressed and never overwritten: role specs, faces, larger contents.
create table treeos.blob (
  digest text primary key,
  bytes bytea not null,
  -- Workers insert contents themselves, and the first one under a digest stays.
  constraint blob_has_its_digest check (digest = encode(sha256('treeos.value.v1\000'::bytea || bytes), 'hex'))
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

-- Which server and timeline of Postgres the record was on, from when on: another one shows a restore, after which
-- all beings begin new lives. Only begin_anew and note_restore write it.
create table treeos.restore (
  n bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  why text not null, -- `made` for the first
  server text not null,
  timeline integer not null,
  lives integer not null
);

create table treeos.inbox (
  id text primary key,
  being text not null,
  kind treeos.wake_kind not null,
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
  closed_at timestamptz,
  answers text, -- the wake that a being goes on from
  about text, -- the wake for which its being goes on by it, or its sender asks: write_inbox says it, never whoever sends it
  let_go text, -- what tells the being that asked that no answer comes; null for any other wake
  refusals smallint not null default 0,
  expect_reply boolean not null default true,
  channel text,
  notice text, -- what notices to one person must share to be one entry; null for anything but a notice
  times integer not null default 1, -- how many notices this entry stands for
  latest timestamptz, -- when the last of them came; null while there is one
  overlay text, -- the handle of text in a vault
  login text, -- of an act: which login of Postgres put it here
  outside boolean not null default false, -- its words came from outside of the reality
  orientation text, -- how its being asked to look when it summoned itself; null where it did not say
  salt bytea, -- of its hash in `sent` of the moment that sent it; null where none did, or once its content is erased
  erased_since boolean -- true: something was erased while it was open, which the face of its moment may show
) with (fillfactor = 70); -- no index has claimed_by, so that a claim finds room beside its row and changes none
create index inbox_open on treeos.inbox (being, priority, age) where closed_by is null;
create index inbox_reply on treeos.inbox (in_reply_to) where in_reply_to is not null;
create index inbox_about on treeos.inbox (about) where about is not null;
create index inbox_root on treeos.inbox (root);
create index inbox_channel on treeos.inbox (channel) where channel is not null;
create unique index inbox_notice on treeos.inbox (being, notice) where notice is not null and closed_by is null;
-- A waiting wake by change covers all later changes: its moment reads them all.
create index inbox_change on treeos.inbox (being)
  where closed_by is null and kind = 'event' and id like 'change/%';

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

-- Changes of a reel that woke somebody less than a second ago.
create table treeos.held_change (
  id bigint generated always as identity primary key,
  reel text not null,
  due timestamptz not null,
  change jsonb not null -- {reel, scopes, paths, values, event, moment, author}
);
create index held_change_reel on treeos.held_change (reel, due);

-- When changes last woke a being.
create table treeos.change_reader (
  being text primary key,
  woken_at timestamptz not null
) with (fillfactor = 70);

-- From when on what the beings of a person change may wake one more being of others.
create table treeos.change_author (
  person text primary key,
  free_at timestamptz not null
);

-- Wakes that wait for more changes, one a being. They are not in the inbox, so nothing there must skip them.
create table treeos.delayed (
  being text primary key,
  due timestamptz not null,
  id text not null,
  priority smallint not null,
  content bytea not null,
  root text not null,
  hops integer not null,
  cause bytea,
  times integer not null default 1, -- how many changes the wake stands for
  outside boolean not null default false,
  paced boolean not null default false -- it waits for its place among those that its author wakes
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
  basis bytea not null, -- canonical JSON: heads, as seq by reel; what it noted beside them; the salt of the digests of both
  face text,
  early boolean -- true: stored before the moment had an outcome, which may never come; null: stored together with it
);
-- Of a being that died in a moment. What else asks for moments by being and number asks moment_outcome.
create index moment_open_early on treeos.moment_open (being, n) where early;

create table treeos.moment_decision (
  moment text primary key,
  kind text not null,
  digest text not null,
  salt bytea not null,
  bytes bytea not null,
  usage jsonb,
  overlay jsonb, -- of the call: {tiers, mode, commitment}
  prompt text -- digest of what its model was shown; null where none was asked, or its moment ended at once
);

-- Which process makes the call of a mind that takes longer than the short way allows. Renewed while the
-- process lives.
create table treeos.mind_call (
  moment text primary key,
  worker text not null,
  expires timestamptz not null
);

-- What an act asks of the outside world before it is stamped, after both gates have passed it, and the
-- result.
create table treeos.moment_effect (
  moment text primary key,
  operation text not null,
  request bytea not null, -- canonical JSON
  result bytea, -- canonical JSON: {value} or {error}; null until there is a result
  -- Of the digests of both in the moment's record: 244 random bits, since Postgres has no function for random
  -- bytes.
  salt bytea not null default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
);

-- Of an act that waits for the outside: its place among the acts that a rule counts together. No other act
-- takes the next place until the moment is over.
create table treeos.held_count (
  reel text primary key,
  moment text not null,
  payload bytea not null -- canonical JSON, of the fact by which it is counted
);

-- Errors of failed attempts of a model, a script, an operation or an effect, for people; and that a workflow
-- gives another stack than the record (`stack`). Not hashed; may be erased.
create table treeos.moment_fault (
  moment text not null,
  part text not null check (part in ('model', 'script', 'decide', 'effect', 'stack')),
  attempt integer not null check (attempt > 0),
  at timestamptz not null default clock_timestamp(),
  seconds double precision not null,
  message text not null,
  stack text,
  differs jsonb, -- of `stack`: {recorded, given}, the digests of both stacks; null where there is none
  primary key (moment, part, attempt)
);
create index moment_fault_stack on treeos.moment_fault (moment) where part = 'stack'; -- doctor and every scrape ask for these

-- Replays of all moments: what was compared, by whom, and what differed. Workers do not write it: one that
-- was taken over would else say of its own records that they are right.
create table treeos.replay_run (
  id bigint generated always as identity primary key,
  login text not null default session_user,
  record text not null check (record in ('chain', 'temporal', 'both')),
  begun_at timestamptz not null,
  ended_at timestamptz not null default clock_timestamp(),
  newest text, -- the moment that ended last before it began
  moments integer not null,
  differences integer not null, -- those that no person accepted
  accepted integer not null,
  elsewhere integer not null, -- those that may come from other extensions than the replay had
  differing text[] not null -- some of the moments that differ
);

create table treeos.moment_outcome (
  moment text primary key,
  being text not null,
  n integer not null,
  kind treeos.outcome_kind not null,
  reason text,
  wake text,
  sealed_at bigint not null,
  primary_role text,
  prev bytea not null,
  hash bytea not null,
  record bytea not null,
  detail text, -- a message that no fields tell, for people; not hashed, may be erased
  refusal bytea, -- canonical JSON: the fields of a refusal with their salt; the record has its digest; may be erased
  result text, -- canonical JSON: the answer to the asker of an act; not hashed, may be erased
  judged bytea, -- canonical JSON: seq by reel of the heads that its call was judged from and its basis has not
  sent bytea, -- canonical JSON: ids and salted hashes of the wakes that it sent, facts whose changes wake others, and what it closed
  unique (being, n)
);
-- A wake has one outcome. Superseded outcomes do not count: they give their wake back to the next life.
create unique index moment_outcome_wake on treeos.moment_outcome (wake) where reason is distinct from 'superseded';
create index moment_outcome_sealed on treeos.moment_outcome (being, n) where kind = 'act';

-- A being with a budget: what it and all its offspring may use, and have used. Money is counted in
-- millionths. Used counts include what is reserved: the reserved part is not settled yet.
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
  reserved_tokens bigint not null default 0,
  reserved_micros bigint not null default 0,
  minute timestamptz,
  minute_moments integer not null default 0,
  -- what it may use of its person's allowance, and of which day
  drawn_day date,
  drawn_tokens bigint not null default 0
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
  unsure boolean not null default false, -- its cost never came back: what counts is the most that it can have been
  primary key (moment, attempt)
);
create index reservation_unsure on treeos.reservation using gin (accounts) where unsure;

-- What the beings of a person have drawn together of the tokens that the standard budget allows each person a
-- day. A being draws ahead of its use, twice as much each time: so a call seldom locks this row, which all
-- beings of the person share.
create table treeos.allowance (
  person text primary key,
  day date not null,
  drawn_tokens bigint not null
);

-- Beings that met a limit, and whose budget it was. The next change of that budget, or the next day, ends it.
create table treeos.parking (
  being text primary key,
  of text not null,
  revision integer not null,
  until timestamptz
);

-- Who drives a being, until when by Postgres' clock. epoch is that of the fact on the being's reel that took
-- the lease, so no later lease has the same. A renewal writes no fact.
create table treeos.lease (
  being text primary key,
  driver text not null,
  epoch integer not null,
  under integer, -- the driver's own epoch, when another being drove the driver: then this lease ends with that one
  expires timestamptz not null
);

-- Access tokens, by which a person's program acts as one being. Only the hash of a secret is stored. A token
-- can be revoked, once, and is never deleted: the table shows who could act as whom, and until when.
create table treeos.token (
  id text primary key,
  being text not null,
  secret_hash bytea not null unique check (length(secret_hash) = 32), -- sha256
  issued_by text not null,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);

-- Overlays that stay: the only table that holds the text of any. Postgres logs the whole row when a
-- constraint of a table fails, so the columns beside the text are checked by a domain, whose errors name no
-- other column.
create domain treeos.stored_tier as text check (value in ('channel', 'workspace', 'account'));
create table treeos.overlay (
  tier treeos.stored_tier,
  scope text, -- the channel's name; reality; or the being of a person
  name text,
  content text,
  applies text[], -- names of Signatures; null: the entry Signature
  set_by text,
  set_at timestamptz default clock_timestamp(),
  primary key (tier, scope, name)
);

-- By which notes of like content are found.
create type treeos.note_vector as (model text, vector real[]);

-- Keys of sealed texts, and what finds them. Calls, facts and rows hold a sealed text only. The id is that of
-- the thing that holds it. A backup that leaves this table out holds no text that was sealed; erasing the
-- fact of such a thing deletes its row here. A text that becomes no thing loses its row when what it waits
-- for is over.
create table treeos.sealed_text (
  id text primary key,
  being text not null, -- who sealed it
  wake text, -- whose moment may make a thing of it; null once a thing holds it
  at timestamptz not null default clock_timestamp(),
  key bytea not null,
  words tsvector not null,
  vectors treeos.note_vector[] not null default '{}' -- one a model that made one
);
create index sealed_text_being on treeos.sealed_text (being);
create index sealed_text_waits on treeos.sealed_text (wake) where wake is not null;

-- Bytes of files. Facts, rows and prompts name them by digest. The id is that of the one thing that may hold
-- them; erasing the fact by which it does deletes its row here. A file of which nobody makes a thing is deleted
-- when its giver gives another.
create table treeos.file (
  id text primary key,
  being text not null, -- who gave it
  digest text not null check (digest = encode(sha256(bytes), 'hex')),
  media_type text not null,
  size integer not null check (size = octet_length(bytes)),
  bytes bytea not null,
  at timestamptz not null default clock_timestamp()
);
alter table treeos.file alter column bytes set storage external; -- most are compressed already
create index file_being on treeos.file (being);

-- That the overlay of a thread changed. Its text is in a vault, which the handle names.
create table treeos.overlay_change (
  id bigint generated always as identity primary key,
  thread text not null,
  tier text not null default 'thread' check (tier = 'thread'),
  commitment text, -- null: it was taken away
  handle text,
  by text not null,
  at timestamptz not null default clock_timestamp()
);
create index overlay_change_thread on treeos.overlay_change (thread, id);

-- Where the vaults of workers listen, each until it expires.
create table treeos.vault (id text primary key, url text not null, expires timestamptz not null);

-- The workers that take moments, each until it expires, and the code that each has loaded.
create table treeos.worker (
  id text primary key,
  codes jsonb not null, -- by extension: its version, the digest of what it brings, and what it seals
  started timestamptz not null default clock_timestamp(),
  expires timestamptz not null
);

-- The log of all facts and records of moments, over which checkpoints are signed. Only the sequencer writes
-- it. Appends do not know of it.
create table treeos.log_entry (
  index bigint primary key check (index >= 0),
  reel text not null, -- moments:<being> for the record of a moment
  seq bigint not null,
  hash bytea not null check (length(hash) = 32),
  unique (reel, seq)
);

-- C2SP tlog-tiles: up to 256 hashes of one level, one after the other. Random bytes are not worth
-- compressing.
create table treeos.log_tile (
  level smallint not null,
  index bigint not null,
  hashes bytea not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
  primary key (level, index)
);
alter table treeos.log_tile alter column hashes set storage external;

create table treeos.log_state (
  singleton boolean primary key default true check (singleton),
  size bigint not null default 0,
  journal bigint not null default 0 -- the last entry of the journal that is in the log; 0 before the first
);
insert into treeos.log_state default values;
