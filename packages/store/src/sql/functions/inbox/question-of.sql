-- The wake that a moment with this wake is about, such as the question of a customer: its own; or, where its
-- being goes on by it, or is told of the end of a question of its own, the one for which it did or asked.
create or replace function treeos.question_of(w treeos.inbox) returns text language sql stable as $$
  select case when w.about is not null and (w.kind = 'event' or w.caller = w.being) then w.about
    else coalesce((select s.about from treeos.inbox s where s.id = w.in_reply_to and s.caller = w.being and w.kind <> 'act'), w.id) end
$$;
