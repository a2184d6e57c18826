-- Stores an access token: the hash of a secret, by which a program acts as one being. A person issues it for
-- itself or for its offspring. Postgres' clock gives both times.
create or replace function treeos.issue_token(its_id text, whose text, issuer text, hash bytea, days integer)
returns table (issued timestamptz, expires timestamptz)
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  now_at timestamptz := clock_timestamp();
begin
  if octet_length(hash) is distinct from 32 or (days between 1 and 365) is not true then
    raise exception 'refused: an access token has a hash of 32 bytes and is valid for 1 to 365 days' using errcode = '42501';
  end if;
  if not exists (select from projection where key = 'being:' || issuer and cognition = 'human')
    or not exists (select from projection where key = 'being:' || whose)
    or not issuer = any (line_of(whose))
  then
    raise exception 'refused: % is not a person that may act as %', issuer, whose using errcode = '42501';
  end if;
  insert into token (id, being, secret_hash, issued_by, issued_at, expires_at)
    values (its_id, whose, hash, issuer, now_at, now_at + make_interval(days => days));
  return query select now_at, now_at + make_interval(days => days);
end $$;
