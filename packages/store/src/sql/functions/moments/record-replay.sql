-- Keeps what a replay of all moments found, with the login that compared them. Workers may not call it: see
-- rights.sql.
create or replace function treeos.record_replay(run jsonb) returns void
language sql volatile security definer set search_path = treeos, pg_temp as $$
  insert into replay_run (record, begun_at, newest, moments, differences, accepted, elsewhere, differing)
    select r.record, to_timestamp(r."begunAt" / 1000), r.newest, r.moments, r.differences, r.accepted, r.elsewhere, r.differing
    from jsonb_to_record(run) as r(record text, "begunAt" float8, newest text, moments integer, differences integer, accepted integer,
      elsewhere integer, differing text[])
$$;
