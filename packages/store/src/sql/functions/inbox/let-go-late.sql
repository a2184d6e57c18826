-- Lets go what beings asked a day ago and nobody took up: a person, a being that is paused or parked, or one
-- that somebody drives. Whoever was asked may answer still. It reads all open wakes. Returns the beings
-- that are told.
create or replace function treeos.let_go_late() returns jsonb language plpgsql as $$
declare
  q inbox;
  told jsonb := '[]';
begin
  for q in select * from inbox
    where closed_by is null and claimed_by is null and kind = 'summon' and in_reply_to is null and expect_reply and let_go is null
      and caller_cognition <> 'human' and caller <> being and at < clock_timestamp() - interval '1 day'
    limit 100 for update skip locked
  loop
    perform let_go(q, 'nobody answered within a day');
    told := told || to_jsonb(q.caller);
  end loop;
  return told;
end $$;
