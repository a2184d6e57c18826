-- Whether something is still to come of a wake, such as a question: its moment, one by which its being goes on
-- for it, a yes that is waited for, or what others were asked for it and its being has not heard yet. Nothing
-- is of what was let go, or is in a thread that was cut.
-- @param but a wake that does not count: that of the moment that asks
create or replace function treeos.is_open(its_id text, but text default null) returns boolean language plpgsql stable as $$
begin
  return exists (select from inbox q where q.id = its_id and q.let_go is null
    and not exists (select from projection p where p.key = 'thread:' || q.root)
    and (q.closed_by is null and q.id is distinct from but
        -- A summon that does not trigger the role stays, and no moment claims it again.
        and not exists (select from moment_outcome o where o.wake = q.id and o.reason = 'not-triggered')
      or exists (select from inbox w where w.about = q.id and w.closed_by is null and w.id is distinct from but
        and (w.kind = 'event' or w.being = q.being))
      or exists (select from inbox s where s.about = q.id and s.kind = 'summon' and s.being <> q.being and s.in_reply_to is null and s.expect_reply
        and case when exists (select from inbox r where r.in_reply_to = s.id and r.being = q.being)
          then exists (select from inbox r where r.in_reply_to = s.id and r.being = q.being and r.closed_by is null and r.id is distinct from but)
          else is_open(s.id) end)));
end $$;
