-- The first `prev` of a reel, derived from the reality and the reel.
create or replace function treeos.genesis(of_reel text) returns bytea
language sql stable set search_path = treeos, pg_temp as $$
  select sha256('treeos.genesis.v1\000'::bytea || convert_to(id::text, 'UTF8') || '\000'::bytea || convert_to(of_reel, 'UTF8'))
  from reality
$$;
