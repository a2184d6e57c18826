-- Lets go what beings asked so long ago and nobody took up: a person, a being that is paused or parked, or one
-- that somebody drives. Whoever was asked may answer still. Returns the beings that are told.
create or replace function treeos.let_go_late(seconds integer) returns setof text
language plpgsql security definer set search_path = treeos, pg_temp as $$
declare
  q inbox;
begin
  for q in select * from inbox
    where closed_by is null and claimed_by is null and kind = 'summon' and in_reply_to is null and expect_reply and let_go is null
      and caller_cognition <> 'human' and caller <> being
      and at < clock_timestamp() - make_interval(secs => greatest(seconds, 60))
    limit 100 for update skip locked
  loop
    perform let_go(q, 'nobody answered in time');
    return next q.caller;
  end loop;
end $$;
