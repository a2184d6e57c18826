-- What the portal keeps for itself: accounts and ways to sign in, sessions, links, and what was begun and is
-- not finished yet. It is not part of the record. Secrets are stored as hashes only; of a passkey there is
-- only its public key.

create schema portal;

-- A person that may sign in.
create table portal.account (
  being text primary key,
  password text, -- scrypt, with its parameters and its salt; null for a person that signs in by other ways alone
  created_at timestamptz not null default clock_timestamp()
);

create table portal.session (
  cookie_hash bytea primary key, -- sha256 of the half in the cookie
  key_hash bytea not null, -- sha256 of the half that the page sends in a header
  being text not null references portal.account on delete cascade,
  id uuid not null default gen_random_uuid() unique, -- names the session to its person, and opens nothing
  way text not null default 'password', -- how it was begun: by a password, a passkey, a link or a provider
  agent text not null default '', -- what the browser says of itself
  created_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
create index session_being on portal.session (being);

-- Lets a person choose a way to sign in, once.
create table portal.link (
  token_hash bytea primary key,
  being text not null,
  made_by text, -- null for the first link of an operator
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  used_at timestamptz
);

-- Answers one call that waits for the yes of a person, once.
create table portal.answer_link (
  token_hash bytea primary key,
  being text not null,
  approval text not null, -- id of the call as it was shown
  call text not null, -- digest of it
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null, -- with the question
  used_at timestamptz
);

-- A browser in which a person has signed in. It opens nothing: failures elsewhere do not make it wait.
create table portal.device (
  being text not null references portal.account on delete cascade,
  secret_hash bytea not null, -- sha256 of a cookie
  created_at timestamptz not null default clock_timestamp(),
  used_at timestamptz not null default clock_timestamp(),
  primary key (being, secret_hash)
);
create index device_secret on portal.device (secret_hash);

-- Failed sign-ins in a row.
create table portal.throttle (
  key text primary key, -- a person and an address or a device, or a person alone
  failures integer not null,
  until timestamptz not null
);

create table portal.passkey (
  id text primary key, -- as its authenticator names it: base64url
  being text not null references portal.account on delete cascade,
  site text not null, -- the name of the portal that it was made for; it opens no other one
  user_handle bytea not null, -- the random name of its person that authenticators keep
  public_key bytea not null, -- COSE
  counter bigint not null, -- of uses, where the authenticator counts
  transports text[] not null,
  name text not null,
  signs boolean not null default false, -- its person signs acts by it: the record has its public key
  created_at timestamptz not null default clock_timestamp(),
  used_at timestamptz
);
create index passkey_being on portal.passkey (being);

-- An account of an identity provider, by which a person signs in.
create table portal.identity (
  issuer text not null,
  subject text not null,
  being text not null references portal.account on delete cascade,
  label text not null, -- as the provider names it
  created_at timestamptz not null default clock_timestamp(),
  primary key (issuer, subject),
  unique (being, issuer)
);

-- A passkey or a provider was asked, and has not answered yet.
create table portal.attempt (
  secret_hash bytea primary key,
  kind text not null,
  bound text not null, -- the session or the link that it belongs to; empty for a sign-in
  user_handle bytea,
  name text,
  expires_at timestamptz not null
);

-- A terminal that asks to act as a person. It becomes an access token when whoever is signed in types its
-- code; the terminal has made the secret of that itself.
create table portal.terminal (
  secret_hash bytea primary key,
  code text not null unique,
  name text not null, -- what the terminal says of itself
  address text not null, -- where it asked from
  being text, -- who let it; null before
  token text, -- id of its access token; null until that is issued
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null -- of its code, and then of its access token
);

-- Where a person is told what waits in its inbox, beside the page. The secret that signs what a webhook is
-- sent follows from the key of the instance, which workers have, and from the salt, which they may not read:
-- none of both is enough.
create table portal.outlet (
  id uuid primary key default gen_random_uuid(),
  being text not null,
  kind text not null check (kind in ('webhook', 'email')),
  address text not null,
  wants text[] not null, -- of question, answer, notice, approval
  confirmed boolean not null, -- an address of e-mail is told nothing before it gave the code that it was sent
  after_age bigint not null, -- the newest entry of the inbox when it was made
  salt bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (being, kind, address)
);

-- That an entry of an inbox is told by an outlet, once. What it says is in the inbox, and is read when it is
-- told.
create table portal.delivery (
  outlet uuid not null references portal.outlet on delete cascade,
  entry text not null,
  id uuid not null default gen_random_uuid() unique, -- the receiver knows a repetition by it
  state text not null default 'due' check (state in ('due', 'sent', 'moot', 'dead')),
  attempts integer not null default 0,
  next_at timestamptz not null default clock_timestamp(),
  made_at timestamptz not null default clock_timestamp(),
  tried_at timestamptz,
  fault text, -- why the last try failed
  primary key (outlet, entry)
);
create index delivery_due on portal.delivery (next_at) where state = 'due';

-- By which a program outside acts as its person without a session or a token: it signs what it sends. The
-- secret follows from the key of the instance and from the salt, as that of an outlet.
create table portal.hook (
  id uuid primary key default gen_random_uuid(),
  being text not null,
  name text not null,
  does text not null, -- JSON: {"summon": stance} or {"signal": key}
  salt bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  used_at timestamptz
);
create index hook_being on portal.hook (being);

-- How many deliveries failed and are tried again, and how many were given up, for whoever looks after the
-- instance.
create function portal.delivery_state() returns table (late bigint, dead bigint)
language sql stable security definer set search_path = portal, pg_temp as $$
  select count(*) filter (where state = 'due' and attempts > 0), count(*) filter (where state = 'dead') from delivery;
$$;
revoke execute on function portal.delivery_state() from public;
